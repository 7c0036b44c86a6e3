import type { ReviewDetail } from '@weir/console';
import { readOne, withConsole } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { plain, print, printJson, table } from '../output.ts';
import { decisionTable } from '../screenings/show.ts';
import { head, rowOf } from './list.ts';

/** One review with its history. */
export async function showReview(id: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  await withConsole(flags, async (client) => {
    const review = await readOne<ReviewDetail>(client, `/v1/reviews/${encodeURIComponent(id)}`);
    return flags.json ? printJson(review) : print(textOf(review));
  });
}

function textOf(review: ReviewDetail): string {
  const resolutions = review.resolutions.map(({ resolved_at, resolved_by, action, state, reason, answered_by }) => {
    const second = answered_by === null ? '' : `, answered by ${plain(answered_by.name)}`;
    return `${resolved_at.slice(0, 19)}Z  ${action} by ${plain(resolved_by.name)}${second} (${state}): ${plain(reason)}\n`;
  });
  const notes = review.notes.map(
    ({ written_at, written_by, text }) => `${written_at.slice(0, 19)}Z  note by ${plain(written_by.name)}: ${plain(text)}\n`,
  );
  const history = [...resolutions, ...notes];
  return [table(head, [rowOf(review)]), '\n', decisionTable(review.decisions), ...(history.length === 0 ? [] : ['\n', ...history])].join(
    '',
  );
}
