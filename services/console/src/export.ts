import type { Pool } from '@weir/postgres';
import type { Context } from 'hono';
import { z } from 'zod';
import { csv } from './csv.ts';
import type { ScreeningFilter } from './filter.ts';
import { maxLimit } from './parameters.ts';
import { listScreenings, type ScreeningOrder } from './query.ts';
import type { ScreeningView, TransferView } from './view.ts';

/** A spreadsheet opens them, and reading them takes some seconds. */
export const mostExported = 10_000;

/** Of every export of transfers. */
export const transferColumns = ['chain', 'coin', 'amount', 'usd_value', 'txid', 'from_address', 'to_address', 'user_id'] as const;

export function cellsOf({ chain, coin, amount, usd_value, txid, from_address, to_address, user_id }: TransferView) {
  return { chain, coin, amount, usd_value, txid, from_address, to_address, user_id };
}

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

export const csvAnswer = {
  status: 200,
  description: 'One line for each.',
  type: 'text/csv',
  schema: z.string(),
  headers: { 'X-Weir-Cut': `\`true\` if there are more than ${mostExported.toLocaleString('en')}.` },
} as const;

export const csvDescription = 'RFC 4180 with a header. Cells that a spreadsheet would run as formulas begin with an apostrophe.';

export function answerCsv(c: Context, name: string, { text, isCut }: { readonly text: string; readonly isCut: boolean }): Response {
  return c.body(text, 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
    'x-weir-cut': String(isCut),
  });
}

/** The first `mostExported` screenings of the filter as CSV, and whether there are more. */
export async function exportScreenings(
  db: Pool,
  filter: ScreeningFilter,
  order: ScreeningOrder,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  return exportPages(columns, async (after: Awaited<ReturnType<typeof listScreenings>>['next']) => {
    const { items, next } = await listScreenings(db, filter, { order, limit: maxLimit, after });
    return { items: items.map(rowOf), next };
  });
}

/** Reads pages one after the other. */
export async function exportPages<After>(
  names: readonly string[],
  read: (after: After | undefined) => Promise<{ readonly items: readonly object[]; readonly next: After | undefined }>,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const rows: object[] = [];
  let after: After | undefined;
  do {
    const page = await read(after);
    rows.push(...page.items);
    after = page.next;
  } while (after !== undefined && rows.length < mostExported);
  return { text: csv(names, rows.slice(0, mostExported)), isCut: after !== undefined || rows.length > mostExported };
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
