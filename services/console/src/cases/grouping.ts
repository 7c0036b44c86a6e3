import { randomUUID } from 'node:crypto';
import { advisoryLock, type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import { forPeople } from '../reviews/measure.ts';
import { adverseUpdate, isForPeople, type Standing } from '../reviews/standing.ts';

/** Holds of one case at most; further ones open another. */
const maxHolds = 200;
/** Of an answer that names more sanctioned entities. */
const maxEntities = 5;

export interface GroupingOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** From the opening of a case until it is due. */
  readonly dueMs: number;
}

/** Holds without a case, and those of a case that was closed before this revision. */
const hasNoCase = `NOT EXISTS (
  SELECT FROM console.case_screenings m JOIN console.cases c USING (case_id)
  WHERE m.screening_id = s.screening_id AND (c.outcome IS NULL OR m.revision >= s.revision))`;
const isLoose = `${isForPeople} AND ${hasNoCase}`;
const columns = `s.screening_id, s.revision, s.request, s.result, ${adverseUpdate} AS adverse_update`;

type Hold = Pick<Standing, 'screening_id' | 'revision' | 'request' | 'result' | 'adverse_update'>;

/** Puts those of the screenings that wait for people into cases. Returns how many were put. */
export async function groupHolds(pool: Pool, screeningIds: readonly string[], options: GroupingOptions): Promise<number> {
  const of = (locking: string) =>
    prepared(`SELECT ${columns} FROM console.screenings s WHERE s.screening_id = ANY($1::uuid[]) AND ${isLoose}
      ORDER BY s.requested_at, s.screening_id${locking}`);
  const { rows } = await pool.query<Hold>(of(''), [screeningIds]);
  if (rows.length === 0) return 0;
  return transaction(pool, async (tx) => {
    // Two replicas must not open a case for the same thing.
    await tx.query(`SELECT ${advisoryLock('case-groups')}`);
    const holds = (await tx.query<Hold>(of(''), [rows.map((row) => row.screening_id)])).rows;
    await put(tx, holds, options);
    return holds.length;
  });
}

/** As `groupHolds`, for up to `limit` holds that an earlier version has left without a case. */
export async function groupLeftHolds(pool: Pool, limit: number, options: GroupingOptions): Promise<number> {
  const { rows } = await pool.query<{ screening_id: string }>(
    `SELECT s.screening_id FROM ${forPeople} s WHERE ${hasNoCase} ORDER BY s.requested_at, s.screening_id LIMIT $1`,
    [limit],
  );
  return groupHolds(
    pool,
    rows.map((row) => row.screening_id),
    options,
  );
}

interface OpenCase extends Record<string, unknown> {
  readonly case_id: string;
  readonly keys: readonly string[];
  size: number;
}

async function put(tx: Queryable, holds: readonly Hold[], { now, dueMs }: GroupingOptions): Promise<void> {
  if (holds.length === 0) return;
  const keyed = holds.map((hold) => ({ hold, keys: keysOf(hold) }));
  const known = await tx.query<OpenCase>(
    prepared(`SELECT c.case_id, c.keys, (SELECT count(*) FROM console.case_screenings m WHERE m.case_id = c.case_id)::int AS size
     FROM console.cases c WHERE c.outcome IS NULL AND c.keys && $1::text[] ORDER BY c.opened_at, c.case_id FOR SHARE OF c`),
    [[...new Set(keyed.flatMap(({ keys }) => keys))]],
  );
  const byKey = new Map<string, OpenCase>();
  const offer = (one: OpenCase): void => {
    for (const key of one.keys) if ((byKey.get(key)?.size ?? maxHolds) >= maxHolds) byKey.set(key, one);
  };
  for (const one of known.rows) offer(one);
  const opened: OpenCase[] = [];
  const members = keyed.map(({ hold, keys }) => {
    let found = keys.map((key) => byKey.get(key)).find((one) => one !== undefined && one.size < maxHolds);
    if (found === undefined) {
      found = { case_id: randomUUID(), keys, size: 0 };
      opened.push(found);
      offer(found);
    }
    found.size += 1;
    return { ...hold, case_id: found.case_id };
  });
  const at = new Date(now);
  await tx.query(
    prepared(`INSERT INTO console.cases (case_id, keys, opened_at, due_at)
     SELECT o.case_id, ARRAY(SELECT jsonb_array_elements_text(o.keys)), $3, $4 FROM unnest($1::uuid[], $2::jsonb[]) AS o(case_id, keys)`),
    [opened.map((one) => one.case_id), opened.map((one) => JSON.stringify(one.keys)), at, new Date(now + dueMs)],
  );
  await tx.query(
    prepared(`INSERT INTO console.case_screenings (case_id, screening_id, revision, added_at)
     SELECT m.case_id, m.screening_id, m.revision, $4 FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS m(case_id, screening_id, revision)
     ON CONFLICT (screening_id, case_id) DO UPDATE SET revision = excluded.revision`),
    [members.map((row) => row.case_id), members.map((row) => row.screening_id), members.map((row) => row.revision), at],
  );
}

/**
 * What relates a hold to others, the closest first. A case has the keys of its first hold only, because holds that share something with
 * any hold of a case would soon all be one case.
 */
function keysOf({ request, result, adverse_update }: Hold): string[] {
  const { transfer, kind, subject } = request;
  const counterparty = kind === 'deposit' ? transfer.from_address : transfer.to_address;
  const exposures = (result?.risk_detail ?? []).filter(({ entity }) => entity !== '' && !entity.startsWith('Others ('));
  const sanctioned = exposures.filter(({ risk_type: type }) => type === 'sanctioned_entity');
  const [largest] = exposures.toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0));
  const entities = [...new Set([...sanctioned, ...(largest === undefined ? [] : [largest])].map(({ entity }) => entity))];
  return [
    ...(transfer.user_id === null ? [] : [`user:${transfer.user_id}`]),
    ...(counterparty === null ? [] : [`counterparty:${counterparty}`]),
    ...(adverse_update && subject !== null ? [`rescreened:${subject}`] : []),
    ...entities.slice(0, maxEntities).map((entity) => `entity:${entity}`),
  ];
}
