import type { Queryable } from '@weir/postgres';
import { type Exported, exportPages } from '@weir/service-kit';
import { maxLimit } from '../parameters.ts';
import type { Position } from '../page.ts';
import { type CaseFilter, listCases } from './query.ts';
import type { CaseView } from './view.ts';

const columns = [
  'case_id',
  'state',
  'opened_at',
  'keys',
  'holds',
  'waiting',
  'usd',
  'unknown_usd',
  'assignee',
  'due_at',
  'escalated_at',
  'outcome',
  'outcome_reason',
  'outcome_by',
  'outcome_at',
] as const;

/** The first cases of the filter as CSV, newest first, and whether there are more. */
export function exportCases(db: Queryable, filter: CaseFilter): Promise<Exported> {
  return exportPages(columns, async (after: Position | undefined) => {
    const { items, next } = await listCases(db, filter, maxLimit, after);
    return { items: items.map(rowOf), next };
  });
}

function rowOf({ outcome_by: by, ...found }: CaseView): Record<(typeof columns)[number], unknown> {
  return { ...found, outcome_by: by?.name };
}
