import type { Action, ScreeningDecided, Transfer } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import { type Pool, type Queryable, transaction } from '@weir/postgres';

/** Only `allowed` lets it leave. */
export type WithdrawalStatus = 'pending' | 'allowed' | 'held' | 'blocked';

/** The part of a decision that the gate applies. */
export type Decision = Pick<
  ScreeningDecided,
  'screening_id' | 'revision' | 'kind' | 'action' | 'decided_at' | 'transfer' | 'reason_codes' | 'rule'
>;

/** The normalised terms of a permit. */
export type Terms = Pick<Transfer, 'chain' | 'coin' | 'to_address' | 'amount'> & { readonly memo?: string | null };

/** NOTIFY channel: ids of withdrawals with a new status, as JSON, or empty for "any". */
export const standingChannel = 'weir_gate_standing';
/** PostgreSQL's limit is 7,999 bytes. */
const maxPayloadBytes = 7_000;

const statusOf: Readonly<Record<Action, WithdrawalStatus>> = { allow: 'allowed', review: 'held', block: 'blocked' };

/** Must be the same in the request and in the decision: the terms of the permit, and the user and the value that the policy judged. */
function contentOf({
  chain,
  coin,
  to_address,
  amount,
  usd_value,
  user_id,
  memo,
}: Transfer): Terms & Pick<Transfer, 'usd_value' | 'user_id'> {
  // Without a memo as versions wrote it that knew none: asked and decided are compared as text.
  return { chain, coin, to_address, amount, usd_value, user_id, ...(memo ? { memo } : {}) };
}

/** Stores withdrawals as pending. The first content stays. */
export async function holdBack(db: Queryable, transfers: readonly Transfer[]): Promise<void> {
  const unique = [...new Map(transfers.map((transfer) => [transfer.source_id, transfer])).values()];
  await db.query(
    `INSERT INTO gate.withdrawals AS w (withdrawal_id, status, asked)
     SELECT u.id, 'pending', u.asked FROM unnest($1::text[], $2::jsonb[]) AS u(id, asked) ORDER BY u.id COLLATE "C"
     ON CONFLICT (withdrawal_id) DO UPDATE SET asked = excluded.asked WHERE w.asked IS NULL`,
    [unique.map((transfer) => transfer.source_id), unique.map((transfer) => JSON.stringify(contentOf(transfer)))],
  );
}

/** For metrics and logs. */
export interface Applied {
  readonly revoked: number;
  /** Screenings of withdrawals that had left before a decision that does not allow them. */
  readonly superseded: readonly string[];
}

export const nothingApplied: Applied = { revoked: 0, superseded: [] };

/**
 * The latest revision counts, in whatever order decisions arrive. One that does not allow revokes the permits of earlier ones.
 * Throws `PoisonRecord` for a decision that no database could store.
 */
export async function apply(pool: Pool, decisions: readonly Decision[]): Promise<Applied> {
  const ours = decisions.filter((decided) => decided.kind === 'withdrawal');
  if (ours.length === 0) return nothingApplied;
  if (ours.some((decided) => decided.transfer.source_id.includes('\0'))) {
    throw new PoisonRecord('INVALID_DECISION', 'source_id holds a NUL');
  }
  return transaction(pool, (tx) => applyIn(tx, ours));
}

/** `apply` within a transaction, for decisions about withdrawals. */
export async function applyIn(tx: Queryable, decisions: readonly Decision[]): Promise<Applied> {
  const changed = await takeLatest(tx, latestOf(decisions));
  // A separate statement, so that it sees permits of transactions that held the locks until now.
  const outcome = await withdraw(tx, latestOf(decisions.filter((decided) => decided.action !== 'allow')));
  await tell(tx, changed);
  return outcome;
}

function latestOf(decisions: readonly Decision[]): Decision[] {
  const latest = new Map<string, Decision>();
  for (const decided of decisions) {
    const before = latest.get(decided.transfer.source_id);
    if (before === undefined || before.revision < decided.revision) latest.set(decided.transfer.source_id, decided);
  }
  return [...latest.values()];
}

/** Locks every row, changed or not. Returns the ids of changed ones. */
async function takeLatest(tx: Queryable, latest: readonly Decision[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO gate.withdrawals AS w (withdrawal_id, status, revision, decided, decided_at, why)
     -- One order for all, so that two who write the same rows do not wait for each other.
     -- A clock of decision that is ahead must not make a decision younger than it is.
     SELECT u.id, u.status, u.revision, u.decided, least(to_timestamp(u.decided_ms / 1000.0), clock_timestamp()), u.why
     FROM unnest($1::text[], $2::text[], $3::int[], $4::jsonb[], $5::float8[], $6::jsonb[]) AS u(id, status, revision, decided, decided_ms, why) ORDER BY u.id COLLATE "C"
     ON CONFLICT (withdrawal_id) DO UPDATE
     SET status = excluded.status, revision = excluded.revision, decided = excluded.decided, decided_at = excluded.decided_at, why = excluded.why
     WHERE w.revision < excluded.revision
     RETURNING withdrawal_id AS id`,
    [
      latest.map((decided) => decided.transfer.source_id),
      latest.map((decided) => statusOf[decided.action]),
      latest.map((decided) => decided.revision),
      latest.map((decided) => JSON.stringify(contentOf(decided.transfer))),
      latest.map((decided) => decided.decided_at),
      latest.map(({ revision, reason_codes, rule }) => JSON.stringify({ revision, reason_codes, rule })),
    ],
  );
  return rows.map(({ id }) => id);
}

async function withdraw(tx: Queryable, latest: readonly Decision[]): Promise<Applied> {
  const values = [latest.map((decided) => decided.transfer.source_id), latest.map((decided) => decided.revision)];
  const { rows } = await tx.query<{ id: string; state: string }>(
    `UPDATE gate.permits p
     SET state = CASE p.state WHEN 'open' THEN 'revoked' ELSE p.state END,
       superseded_by = u.revision
     FROM unnest($1::text[], $2::int[]) AS u(id, revision)
     WHERE p.withdrawal_id = u.id AND p.revision < u.revision AND p.superseded_by IS NULL AND p.state IN ('open', 'redeemed')
     RETURNING p.withdrawal_id AS id, p.state`,
    values,
  );
  const screenings = new Map(latest.map((decided) => [decided.transfer.source_id, decided.screening_id]));
  const superseded = rows.filter(({ state }) => state === 'redeemed').map(({ id }) => screenings.get(id) ?? '');
  return { revoked: rows.length - superseded.length, superseded };
}

async function tell(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const payload = JSON.stringify(ids);
  await tx.query('SELECT pg_notify($1, $2)', [standingChannel, Buffer.byteLength(payload) > maxPayloadBytes ? '' : payload]);
}
