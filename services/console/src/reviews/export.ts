import type { Pool } from '@weir/postgres';
import { type Exported, exportPages } from '@weir/service-kit';
import { maxLimit } from '../parameters.ts';
import { cellsOf, transferColumns } from '../transfer-cells.ts';
import { listReviews, type ReviewFilter, type ReviewOrder } from './query.ts';
import type { ReviewView } from './view.ts';

const columns = [
  'screening_id',
  'requested_at',
  'kind',
  'source_id',
  'state',
  'action',
  'reason_codes',
  'held_since',
  'due_at',
  'overdue',
  'assignee',
  ...transferColumns,
  'risk_level',
  'score',
  'late_result',
  'adverse_update',
  'resolved_with',
  'resolved_by',
  'answered_by',
] as const;

/** The first reviews of the filter as CSV, and whether there are more. */
export function exportReviews(
  db: Pool,
  filter: ReviewFilter,
  { order, now }: { readonly order: ReviewOrder; readonly now: number },
): Promise<Exported> {
  return exportPages(columns, async (after: Awaited<ReturnType<typeof listReviews>>['next']) => {
    const { items, next } = await listReviews(db, filter, { order, now, limit: maxLimit, after });
    return { items: items.map(rowOf), next };
  });
}

function rowOf({ transfer, result, resolution, ...review }: ReviewView): Record<(typeof columns)[number], unknown> {
  return {
    screening_id: review.screening_id,
    requested_at: review.requested_at,
    kind: review.kind,
    source_id: transfer.deposit_id ?? transfer.withdrawal_id,
    state: review.state,
    action: review.action,
    reason_codes: review.reason_codes,
    held_since: review.held_since,
    due_at: review.due_at,
    overdue: review.overdue,
    assignee: review.assignee,
    ...cellsOf(transfer),
    risk_level: result?.risk_level,
    score: result?.score,
    late_result: review.late_result,
    adverse_update: review.adverse_update,
    resolved_with: resolution?.action,
    resolved_by: resolution?.resolved_by.name,
    answered_by: resolution?.answered_by?.name,
  };
}
