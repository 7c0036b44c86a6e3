import type { UserView } from '@weir/console';
import { readOne, withConsole } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { plain, print, printJson, table } from '../output.ts';

/** One of the caller's customers. */
export async function showUser(id: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  await withConsole(flags, async (client) => {
    const user = await readOne<UserView>(client, `/v1/users/${encodeURIComponent(id)}`);
    return flags.json ? printJson(user) : print(textOf(user));
  });
}

function textOf({ user_id, kinds, actions, levels, held, open_reviews, first_requested_at, last_requested_at }: UserView): string {
  const row = (name: string, { count, usd, unknown_usd }: UserView['held']): string[] => [
    name,
    String(count),
    usd ?? 'unknown',
    String(unknown_usd),
  ];
  const rows = [
    ...kinds.map((each) => row(each.kind, each)),
    ...actions.map((each) => row(`action ${each.action ?? 'none yet'}`, each)),
    ...levels.map((each) => row(`level ${each.level ?? 'none'}`, each)),
    row('held now', held),
  ];
  return [
    `${plain(user_id)}: ${open_reviews} open ${open_reviews === 1 ? 'review' : 'reviews'}, first ${first_requested_at}, last ${last_requested_at}\n\n`,
    table(['SCREENINGS', 'COUNT', 'USD', 'VALUE UNKNOWN'], rows),
  ].join('');
}
