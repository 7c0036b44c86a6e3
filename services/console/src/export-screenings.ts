import type { Pool } from '@weir/postgres';
import { type Exported, exportPages } from '@weir/service-kit';
import type { ScreeningFilter } from './filter.ts';
import { maxLimit } from './parameters.ts';
import { listScreenings, type ScreeningOrder } from './query.ts';
import { cellsOf, transferColumns } from './transfer-cells.ts';
import type { ScreeningView } from './view.ts';

const columns = [
  'screening_id',
  'requested_at',
  'kind',
  'source_id',
  'status',
  ...transferColumns,
  'outcome',
  'risk_level',
  'score',
  'detail_list',
  'action',
  'revision',
  'reason_codes',
  'rule',
  'decided_at',
  'policy_hash',
  'evidence_sha256',
] as const;

/** The first `mostExported` screenings of the filter. */
export async function exportScreenings(db: Pool, filter: ScreeningFilter, order: ScreeningOrder): Promise<Exported> {
  return exportPages(columns, async (after: Awaited<ReturnType<typeof listScreenings>>['next']) => {
    const { items, next } = await listScreenings(db, filter, { order, limit: maxLimit, after });
    return { items: items.map(rowOf), next };
  });
}

function rowOf({ transfer, result, decisions, ...screening }: ScreeningView): Record<(typeof columns)[number], unknown> {
  const latest = decisions.at(-1);
  return {
    screening_id: screening.screening_id,
    requested_at: screening.requested_at,
    kind: screening.kind,
    source_id: transfer.deposit_id ?? transfer.withdrawal_id,
    status: screening.status,
    ...cellsOf(transfer),
    outcome: result?.outcome,
    risk_level: result?.risk_level,
    score: result?.score,
    detail_list: result?.detail_list.join('; '),
    action: latest?.action,
    revision: latest?.revision,
    reason_codes: latest?.reason_codes,
    rule: latest?.rule,
    decided_at: latest?.decided_at,
    policy_hash: latest?.policy_hash,
    evidence_sha256: result?.evidence_sha256,
  };
}
