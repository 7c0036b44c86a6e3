import type { HistoryWindow as HistoryValue, Transfer } from '@weir/contracts';
import { type HistoryWindow, type Policy, toWindow, windowKey } from '@weir/policy';
import { advisoryLocksOf, type Queryable } from '@weir/postgres';

/** Topics keep no order across transfers, so concurrent ones count whichever comes first. */
const slackMs = 600_000;
/** Most transfers of a user read for one window; beyond that the window is unknown and its rules hold. */
export const mostTransfers = 20_000;

/** The windows of these policies, each once, in a fixed order. */
export function windowsOf(...policies: readonly (Policy | null)[]): HistoryWindow[] {
  const all = policies.flatMap((policy) => Object.values(policy?.history ?? {}).map(toWindow));
  const byKey = new Map(all.map((window) => [windowKey(window), window]));
  return [...byKey.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, window]) => window);
}

/** Serializes decisions about one user: two at once could each miss the other's transfer. */
export async function lockUsers(tx: Queryable, transfers: readonly Transfer[]): Promise<void> {
  const users = [...new Set(transfers.flatMap(({ user_id }) => (user_id === null ? [] : [user_id])))];
  if (users.length > 0) await tx.query(advisoryLocksOf('user-history', '$1::text[]'), [users]);
}

/** A transfer and its time of receipt (Unix ms). */
interface Received {
  readonly transfer: Transfer;
  readonly requested_at: number;
}

interface Row extends Record<string, unknown> {
  n: number;
  seen: number;
  count: number;
  known_usd: string;
  unknown_count: number;
}

/**
 * The values of each window for each transfer, in the order of `occasions`: from `window` before its receipt until ten minutes after,
 * itself included. The caller's timestamp does not count, or a backdated transfer would pass a limit. A window is left out where the user
 * or the counterparty is unknown, or the transfers are too many.
 */
export async function historyOf(
  db: Queryable,
  windows: readonly HistoryWindow[],
  occasions: readonly Received[],
): Promise<HistoryValue[][]> {
  const found = occasions.map((): HistoryValue[] => []);
  for (const window of windows) {
    for (const { n, seen, count, known_usd, unknown_count } of await readWindow(db, window, occasions)) {
      if (seen > mostTransfers) continue;
      found[n]?.push({ of: window.of, kind: window.kind, window_ms: window.window_ms, count, known_usd, unknown_count });
    }
  }
  return found;
}

async function readWindow(db: Queryable, window: HistoryWindow, occasions: readonly Received[]): Promise<Row[]> {
  const transfers = occasions.map(({ transfer }) => transfer);
  const { rows } = await db.query<Row>(
    `SELECT w.n, s.* FROM (
       SELECT (u.n - 1)::int AS n, decision.history_key(u.user_id) AS user_key, decision.history_key(u.counterparty) AS counterparty_key,
         to_timestamp(u.at / 1000.0) AS at
       FROM unnest($1::text[], $2::text[], $3::float8[]) WITH ORDINALITY AS u(user_id, counterparty, at, n)
       WHERE u.user_id IS NOT NULL AND (NOT $4 OR u.counterparty IS NOT NULL)
       -- Keeps the keys from being computed again for each row that is compared.
       OFFSET 0) AS w
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS seen, (count(*) FILTER (WHERE fits))::int AS count,
         trim_scale(coalesce(sum(usd_value) FILTER (WHERE fits), 0))::text AS known_usd,
         (count(*) FILTER (WHERE fits AND usd_value IS NULL))::int AS unknown_count
       FROM (
         SELECT t.usd_value, (NOT $4 OR t.counterparty_key = w.counterparty_key) IS TRUE AND ($5::text IS NULL OR t.kind = $5) AS fits
         FROM decision.transfers t
         WHERE t.user_key = w.user_key AND t.occurred_at > w.at - $6 * interval '1 millisecond' AND t.occurred_at <= w.at + $7 * interval '1 millisecond'
         ORDER BY t.occurred_at DESC LIMIT $8) AS near) AS s`,
    [
      transfers.map(({ user_id }) => user_id),
      transfers.map(({ kind, from_address, to_address }) => (kind === 'deposit' ? from_address : to_address)),
      occasions.map(({ requested_at }) => requested_at),
      window.of === 'user_counterparty',
      window.kind,
      window.window_ms,
      slackMs,
      mostTransfers + 1,
    ],
  );
  return rows;
}
