import type { ReviewView } from '@weir/console';
import { type Client, openClient, pagesOf } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../settings.ts';
import { note, plain, printJsonList, printTable } from '../output.ts';
import { transferCells } from '../screenings/list.ts';

interface ListFlags extends PlaceFlags {
  readonly state?: string;
  readonly kind?: string;
  readonly assignee?: string;
  readonly due?: string;
  readonly late?: true;
  readonly sort?: string;
  readonly json?: true;
}

/** Oldest first unless sorted otherwise. */
export async function listReviews(flags: ListFlags): Promise<void> {
  const settings = loadSettings(flags);
  await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    const all = pages(openClient(flags, settings, stop.signal), flags);
    if (flags.json) return void (await printJsonList(all));
    const count = await printTable(head, all, rowOf);
    note(count === 0 ? 'No matching review.' : `${count} review${count === 1 ? '' : 's'}.`);
  });
}

function pages(client: Client, { state, kind, assignee, due, late, sort }: ListFlags): AsyncGenerator<ReviewView, void, void> {
  return pagesOf(client, '/v1/reviews', { state, kind, assignee, due, late: late && 'true', sort });
}

export const head = ['SCREENING/REVISION', 'KIND', 'STATE', 'ID', 'AMOUNT', 'USD', 'REASONS', 'ASSIGNEE', 'DUE', 'REMARKS'] as const;

export function rowOf(review: ReviewView): string[] {
  const { screening_id, revision, kind, state, transfer, reason_codes, assignee, overdue, due_at } = review;
  return [
    `${screening_id}/${revision}`,
    kind,
    state,
    ...transferCells(transfer),
    plain(reason_codes.join(' ')),
    plain(assignee ?? '-'),
    due_at === null ? '-' : `${due_at}${overdue ? ' overdue' : ''}`,
    remarksOf(review).join(', '),
  ];
}

function remarksOf({ state, resolution, adverse_update: hasAdverseUpdate, late_result }: ReviewView): string[] {
  const remarks: string[] = [];
  if (state === 'pending_approval' && resolution !== null) remarks.push(`${resolution.action} by ${plain(resolution.resolved_by.name)}`);
  if (state === 'open' && resolution?.state === 'superseded') remarks.push('superseded');
  if (hasAdverseUpdate) remarks.push('adverse update');
  if (late_result) remarks.push('late result');
  return remarks;
}
