import { findEntries } from '@weir/audit-writer';
import { type CasesOf, findCases, patternOf } from '@weir/console';
import type { Queryable } from '@weir/postgres';
import { findActivities } from '@weir/service-kit';

/** All that is erased with some screenings. */
export interface Erasable {
  readonly screenings: readonly string[];
  readonly users: readonly string[];
  readonly depositIds: readonly string[];
  readonly withdrawalIds: readonly string[];
  readonly cases: CasesOf;
  /** Acts of people, by their ids. */
  readonly activities: readonly string[];
  /** Entries of the audit log that have their payload. */
  readonly entries: readonly { readonly index: number; readonly event_id: string }[];
  /** Name the transfers: customers, ids, addresses. */
  readonly words: readonly string[];
  /** Of cases, for the same. */
  readonly keys: readonly string[];
}

/** Reads what the screenings lead to. */
export async function findErasable(db: Queryable, screenings: readonly string[]): Promise<Erasable> {
  const { rows } = await db.query<{
    kind: string;
    source_id: string;
    user_id: string | null;
    txid: string | null;
    from: string | null;
    to: string;
    subject: string;
  }>(
    `SELECT kind, t ->> 'source_id' AS source_id, t ->> 'user_id' AS user_id, t ->> 'txid' AS txid, t ->> 'from_address' AS "from", t ->> 'to_address' AS "to",
       request ->> 'subject' AS subject
     FROM intake.transfers CROSS JOIN LATERAL (VALUES (request -> 'transfer')) AS of(t) WHERE screening_id = ANY($1::uuid[]) AND NOT request ? 'erased'`,
    [screenings],
  );
  const recorded = await findRecorded(db, screenings);
  const idsOf = (kind: string): string[] => [
    ...new Set([...rows, ...recorded].filter((row) => row.kind === kind).map((row) => row.source_id)),
  ];
  // The exchange's own addresses name nobody.
  const words = rows
    .flatMap((row) => [row.user_id, row.source_id, row.txid, row.kind === 'deposit' ? row.from : row.to])
    .filter((word) => word !== null);
  const keys = rows.flatMap((row) => [
    `user:${row.user_id}`,
    `counterparty:${row.from}`,
    `counterparty:${row.to}`,
    `rescreened:${row.subject}`,
  ]);
  const cases = await findCases(db, screenings);
  const activities = await findActs(db, { screenings, cases, words });
  const entries = await findEntries(db, { screenings, eventIds: activities });
  const users = [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))];
  return { screenings, users, depositIds: idsOf('deposit'), withdrawalIds: idsOf('withdrawal'), cases, activities, entries, words, keys };
}

/** Ids of transfers as the records of their topics have them, which need not have become transfers. */
async function findRecorded(db: Queryable, screenings: readonly string[]): Promise<{ kind: string; source_id: string }[]> {
  const { rows } = await db.query<{ kind: string; source_id: string }>(
    `SELECT DISTINCT CASE WHEN topic LIKE 'deposits.%' THEN 'deposit' ELSE 'withdrawal' END AS kind, key AS source_id FROM audit.entries
     WHERE screening_id = ANY($1::uuid[]) AND topic IN ('deposits.detected', 'withdrawals.requested', 'deposits.detected.dlq', 'withdrawals.requested.dlq')
       AND erased_by IS NULL`,
    [screenings],
  );
  return rows;
}

/** Acts on the screenings and their own cases; on shared cases those that name the transfers. */
async function findActs(db: Queryable, { screenings, cases, words }: Pick<Erasable, 'screenings' | 'cases' | 'words'>): Promise<string[]> {
  const own = await findActivities(db, [...screenings, ...cases.own]);
  const pattern = patternOf(words);
  const shared = pattern === undefined ? [] : await findActivities(db, cases.shared);
  const { rows } = await db.query<{ id: string }>(`SELECT u.id FROM unnest($1::text[], $2::text[]) AS u(id, text) WHERE u.text ~* $3`, [
    shared.map((one) => one.activity_id),
    shared.map((one) => JSON.stringify(one.details)),
    pattern ?? '$^',
  ]);
  return [...own.map((one) => one.activity_id), ...rows.map(({ id }) => id)];
}
