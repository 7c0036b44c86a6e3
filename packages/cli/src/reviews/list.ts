import type { ReviewView } from '@weir/console';
import { type Client, openClient, pagesOf } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../settings.ts';
import { note, plain, print, printJsonList } from '../output.ts';

interface ListFlags extends PlaceFlags {
  readonly state?: string;
  readonly kind?: string;
  readonly assignee?: string;
  readonly due?: string;
  readonly late?: true;
  readonly json?: true;
}

/** Oldest first. */
export async function listReviews(flags: ListFlags): Promise<void> {
  const settings = loadSettings(flags);
  await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    const all = pages(openClient(flags, settings, stop.signal), flags);
    if (flags.json) return void (await printJsonList(all));
    let count = 0;
    for await (const review of all) {
      await print(`${line(review)}\n`);
      count += 1;
    }
    note(count === 0 ? 'No matching review.' : `${count} review${count === 1 ? '' : 's'}.`);
  });
}

function pages(client: Client, { state, kind, assignee, due, late }: ListFlags): AsyncGenerator<ReviewView, void, void> {
  return pagesOf(client, '/v1/reviews', { state, kind, assignee, due, late: late && 'true' });
}

export function line({
  screening_id,
  revision,
  kind,
  state,
  transfer,
  reason_codes,
  assignee,
  overdue,
  due_at,
  resolution,
  late_result,
  adverse_update: hasAdverseUpdate,
}: ReviewView): string {
  const value = transfer.usd_value === null ? 'value unknown' : `${transfer.usd_value} USD`;
  const parts = [
    `${screening_id}/${revision}`,
    kind.padEnd(10),
    state.padEnd(16),
    plain(`${transfer.deposit_id ?? transfer.withdrawal_id ?? ''}  ${transfer.amount} ${transfer.coin} (${value})`),
    plain(reason_codes.join(' ')),
  ];
  if (state === 'pending_approval' && resolution !== null) parts.push(`${resolution.action} by ${plain(resolution.resolved_by.name)}`);
  if (state === 'open' && resolution?.state === 'superseded') parts.push('superseded');
  if (assignee !== null) parts.push(`assigned to ${plain(assignee)}`);
  if (due_at !== null) parts.push(overdue ? `overdue since ${due_at}` : `due ${due_at}`);
  if (hasAdverseUpdate) parts.push('adverse update');
  if (late_result) parts.push('late result');
  return parts.join('  ');
}
