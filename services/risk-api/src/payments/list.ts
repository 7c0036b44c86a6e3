import type { Queryable } from '@weir/postgres';
import { usdcOf } from './networks.ts';
import type { PaymentState } from './ledger.ts';

/** Amounts are decimal USDC, times RFC 3339. */
export interface PaymentView {
  readonly id: string;
  readonly created_at: string;
  readonly settled_at: string | null;
  readonly state: PaymentState;
  readonly reason: string | null;
  readonly network: string;
  readonly payer: string;
  readonly pay_to: string;
  readonly amount: string;
  readonly operation: string;
  readonly resource: string;
  readonly transaction: string | null;
  readonly attempts: number;
}

interface PaymentFilter {
  readonly state?: PaymentState;
  readonly since?: Date;
  /** `next_cursor` of the page before. */
  readonly cursor?: string;
  readonly limit: number;
}

interface Row extends Record<string, unknown> {
  readonly at: string;
  readonly units: string;
}

/** Undefined for an invalid cursor. */
export async function listPayments(
  db: Queryable,
  filter: PaymentFilter,
): Promise<{ items: PaymentView[]; next_cursor: string | null } | undefined> {
  const after = filter.cursor === undefined ? undefined : readCursor(filter.cursor);
  if (filter.cursor !== undefined && after === undefined) return undefined;
  const { rows } = await db.query<Row>(
    `SELECT id, created_at, settled_at, state, reason, network, payer, pay_to, amount::text AS units, operation, resource, transaction, attempts,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
     FROM risk.payments
     WHERE ($1::text IS NULL OR state = $1) AND ($2::timestamptz IS NULL OR created_at >= $2)
       AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
     ORDER BY created_at DESC, id DESC LIMIT $5`,
    [filter.state ?? null, filter.since ?? null, after?.at ?? null, after?.id ?? null, filter.limit + 1],
  );
  const items = rows.slice(0, filter.limit);
  const last = items.at(-1);
  return {
    items: items.map(viewOf),
    next_cursor:
      rows.length > items.length && last !== undefined ? Buffer.from(`${last.at} ${String(last['id'])}`).toString('base64url') : null,
  };
}

function readCursor(cursor: string): { at: string; id: string } | undefined {
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return at === undefined || id === undefined ? undefined : { at, id };
}

function viewOf({ at: _at, units, ...row }: Row): PaymentView {
  const own = row as unknown as Omit<PaymentView, 'created_at' | 'settled_at' | 'amount'> & { created_at: Date; settled_at: Date | null };
  return {
    id: own.id,
    created_at: own.created_at.toISOString(),
    settled_at: own.settled_at?.toISOString() ?? null,
    state: own.state,
    reason: own.reason,
    network: own.network,
    payer: own.payer,
    pay_to: own.pay_to,
    amount: usdcOf(BigInt(units)),
    operation: own.operation.replace(/^x402_/, ''),
    resource: own.resource,
    transaction: own.transaction,
    attempts: own.attempts,
  };
}
