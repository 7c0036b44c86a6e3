import type { Action, Kind } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import type { Occasion } from './evidence.ts';

/** A stored decision with its evidence. */
export interface StoredDecision extends Occasion {
  readonly action: Action;
  readonly rule: string | null;
  readonly reason_codes: readonly string[];
  readonly policy_hash: string;
  readonly shadow: Action | null;
  readonly shadow_policy_hash: string | null;
  /** The published event; null until the audit log has it. */
  readonly published: Buffer | null;
}

/** Selects decisions of the policy, not of people. */
export interface Selection {
  readonly since: Date;
  /** Exclusive. */
  readonly until?: Date | undefined;
  readonly kind?: Kind | undefined;
  /** Only the last decision of each screening. */
  readonly lastOnly?: boolean;
  readonly withPublished?: boolean;
  /** Only those whose event is neither in the outbox nor in the audit log. */
  readonly withoutEvent?: boolean;
}

interface Row extends StoredDecision, Record<string, unknown> {
  readonly place: string;
}

/** Rows in memory at once; most have some kilobytes. */
const pageSize = 1_000;

/** By time in keyset pages: no long transaction, constant memory. */
export async function* readDecisions(db: Queryable, selection: Selection): AsyncGenerator<StoredDecision[], void, void> {
  for (let last: Row | undefined; ; ) {
    const rows = await readPage(db, selection, last);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < pageSize || last === undefined) return;
  }
}

async function readPage(db: Queryable, selection: Selection, after: Row | undefined): Promise<Row[]> {
  const { rows } = await db.query<Row>(
    `SELECT d.screening_id, d.revision, d.decided_at::text AS place, d.action, d.rule, d.reason_codes, d.policy_hash, d.shadow, d.shadow_policy_hash, d.evidence,
       round(extract(epoch FROM d.decided_at) * 1000)::float8 AS decided_at, round(extract(epoch FROM s.requested_at) * 1000)::float8 AS requested_at,
       s.transfer, ${selection.withPublished === true ? 'e.value' : 'NULL'} AS published
     FROM decision.decisions d JOIN decision.screenings s ON s.screening_id = d.screening_id
     ${selection.withPublished === true ? "LEFT JOIN audit.entries e ON e.event_id = d.event_id AND e.topic = 'screenings.decided'" : ''}
     WHERE ${conditions} ${selection.withoutEvent === true ? hasNoEvent : ''}
       AND ($5::timestamptz IS NULL OR (d.decided_at, d.screening_id, d.revision) > ($5, $6::uuid, $7::int))
     ORDER BY d.decided_at, d.screening_id, d.revision LIMIT $8`,
    [...valuesOf(selection), after?.place ?? null, after?.screening_id ?? null, after?.revision ?? null, pageSize],
  );
  return rows;
}

/** $1 to $4. A later decision of the policy makes one not the last; a later one by people does not. */
const conditions = `d.evidence IS NOT NULL AND d.decided_at >= $1 AND ($2::timestamptz IS NULL OR d.decided_at < $2) AND ($3::text IS NULL OR s.kind = $3)
  AND (NOT $4 OR s.revision = d.revision OR NOT EXISTS (
    SELECT FROM decision.decisions n WHERE n.screening_id = d.screening_id AND n.revision > d.revision AND n.evidence IS NOT NULL))`;

const hasNoEvent = `AND NOT EXISTS (SELECT FROM outbox.events o WHERE o.service = 'decision' AND o.event_id = d.event_id)
  AND NOT EXISTS (SELECT FROM audit.entries a WHERE a.event_id = d.event_id)`;

function valuesOf({ since, until, kind, lastOnly }: Selection): unknown[] {
  return [since, until ?? null, kind ?? null, lastOnly === true];
}

/** An upper bound, for progress. */
export async function countDecisions(db: Queryable, { since, until }: Selection): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM decision.decisions
     WHERE evidence IS NOT NULL AND decided_at >= $1 AND ($2::timestamptz IS NULL OR decided_at < $2)`,
    [since, until ?? null],
  );
  return rows[0]?.count ?? 0;
}

/** The policy's decisions without stored evidence, from the release before. No other function here returns them. */
export async function countWithoutEvidence(db: Queryable, { since, until }: Pick<Selection, 'since' | 'until'>): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM decision.decisions
     WHERE evidence IS NULL AND (cause = 'deadline' OR cause LIKE 'scored/%') AND decided_at >= $1 AND ($2::timestamptz IS NULL OR decided_at < $2)`,
    [since, until ?? null],
  );
  return rows[0]?.count ?? 0;
}

/** Held transfers that `readHeld` leaves out, for the same reason. */
export async function countHeldWithoutEvidence(db: Queryable, kinds: readonly Kind[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM decision.screenings s JOIN decision.decisions d ON d.screening_id = s.screening_id AND d.revision = s.revision
     WHERE s.kind = ANY($1::text[]) AND s.action = 'review' AND NOT s.by_person AND d.evidence IS NULL`,
    [kinds],
  );
  return rows[0]?.count ?? 0;
}

/** Held transfers, the oldest of each kind first, with the policy's last decision. Those that people hold are left out. */
export async function* readHeld(db: Queryable, kinds: readonly Kind[]): AsyncGenerator<StoredDecision[], void, void> {
  for (const kind of kinds) {
    for (let last: Row | undefined; ; ) {
      const { rows } = await db.query<Row>(
        `SELECT d.screening_id, d.revision, s.requested_at::text AS place, d.action, d.rule, d.reason_codes, d.policy_hash, d.shadow, d.shadow_policy_hash, d.evidence,
           round(extract(epoch FROM d.decided_at) * 1000)::float8 AS decided_at, round(extract(epoch FROM s.requested_at) * 1000)::float8 AS requested_at,
           s.transfer, NULL AS published
         FROM decision.screenings s JOIN decision.decisions d ON d.screening_id = s.screening_id AND d.revision = s.revision
         WHERE s.kind = $1 AND s.action = 'review' AND NOT s.by_person AND d.evidence IS NOT NULL
           AND ($2::timestamptz IS NULL OR (s.requested_at, s.screening_id) > ($2, $3::uuid))
         ORDER BY s.requested_at, s.screening_id LIMIT $4`,
        [kind, last?.place ?? null, last?.screening_id ?? null, pageSize],
      );
      if (rows.length > 0) yield rows;
      last = rows.at(-1);
      if (rows.length < pageSize || last === undefined) break;
    }
  }
}
