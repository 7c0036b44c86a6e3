import type { Action, ScreeningDecided, Transfer } from '@weir/contracts';
import { jsonArray, prepared, type Queryable } from '@weir/postgres';
import { type NewEvent, TryAgain } from '@weir/service-kit';
import { type Cause, causeName, type MachineCause, type RequestCause } from './causes.ts';
import type { StoredEvidence } from './evidence.ts';

export interface ScreeningRow extends Record<string, unknown> {
  screening_id: string;
  revision: number;
  by_person: boolean;
  /** Of the revision in force. */
  action: Action | null;
  attempt: number;
  sequence: number;
  /** As first received. */
  transfer: Transfer;
  /** Unix ms. */
  requested_at: number;
}

export interface Made {
  readonly decided: ScreeningDecided;
  readonly cause: string;
  readonly event: NewEvent<'screenings.decided'>;
  /** Null for a decision by people: it is not replayed. */
  readonly evidence: StoredEvidence | null;
}

/** A result and its request come by different topics in any order: either one creates the screening. */
export async function register(tx: Queryable, causes: readonly MachineCause[]): Promise<void> {
  if (causes.length === 0) return;
  const unique = [...new Map(causes.map(({ event }) => [event.screening_id, event])).values()];
  await tx.query(
    prepared(`WITH registered AS (
       INSERT INTO decision.screenings (screening_id, kind, transfer, requested_at, deadline_at)
       SELECT u.id, u.kind, u.transfer, to_timestamp(u.requested / 1000.0), to_timestamp(u.deadline / 1000.0)
       FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $4::float8[], $5::float8[]) AS u(id, kind, transfer, requested, deadline)
       ORDER BY 1 ON CONFLICT DO NOTHING RETURNING screening_id, kind, transfer, requested_at)
     INSERT INTO decision.transfers (user_key, counterparty_key, occurred_at, kind, usd_value, screening_id)
       SELECT h.user_key, h.counterparty_key, h.occurred_at, h.kind, h.usd_value, h.screening_id FROM registered r, LATERAL decision.received_row(r.screening_id, r.kind, r.transfer, r.requested_at) AS h WHERE r.transfer->>'user_id' IS NOT NULL`),
    [
      unique.map((event) => event.screening_id),
      unique.map((event) => event.kind),
      unique.map((event) => JSON.stringify(event.transfer)),
      unique.map((event) => event.requested_at),
      unique.map((event) => event.deadline_at),
    ],
  );
}

/**
 * Adds to `rows` the screenings that these results create and decide at once; `save` stores them. Their transfers are stored now, for the
 * history that the decision reads. Returns the events that create them.
 */
export async function receive(
  tx: Queryable,
  causes: readonly MachineCause[],
  rows: Map<string, ScreeningRow>,
): Promise<ReadonlyMap<string, MachineCause['event']>> {
  const created = new Map(causes.filter(({ event }) => !rows.has(event.screening_id)).map(({ event }) => [event.screening_id, event]));
  const initial = { revision: 0, by_person: false, action: null, attempt: 0, sequence: 0 };
  for (const [screening_id, { transfer, requested_at }] of created)
    rows.set(screening_id, { screening_id, transfer, requested_at, ...initial });
  const ofUsers = [...created.values()].filter(({ transfer }) => transfer.user_id !== null);
  if (ofUsers.length === 0) return created;
  await tx.query(
    prepared(`INSERT INTO decision.transfers (user_key, counterparty_key, occurred_at, kind, usd_value, screening_id)
       SELECT h.user_key, h.counterparty_key, h.occurred_at, h.kind, h.usd_value, h.screening_id
       FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $4::float8[]) AS u(id, kind, transfer, requested),
         LATERAL decision.received_row(u.id, u.kind, u.transfer, to_timestamp(u.requested / 1000.0)) AS h`),
    [
      ofUsers.map((event) => event.screening_id),
      ofUsers.map((event) => event.kind),
      ofUsers.map((event) => JSON.stringify(event.transfer)),
      ofUsers.map((event) => event.requested_at),
    ],
  );
  return created;
}

/** Stores the deadline of a renewal. Only the allow in force is renewed. */
export async function storeRenewals(tx: Queryable, renewals: readonly RequestCause[]): Promise<void> {
  if (renewals.length === 0) return;
  await tx.query(
    prepared(`UPDATE decision.screenings s SET renews_revision = u.revision,
       renewal_requested_at = to_timestamp(u.requested / 1000.0), renewal_deadline_at = to_timestamp(u.deadline / 1000.0)
     FROM unnest($1::uuid[], $2::int[], $3::float8[], $4::float8[]) AS u(id, revision, requested, deadline)
     WHERE s.screening_id = u.id AND s.revision = u.revision AND s.action = 'allow' AND s.renews_revision IS DISTINCT FROM u.revision`),
    [
      renewals.map(({ event }) => event.screening_id),
      renewals.map(({ event }) => event.renews_revision),
      renewals.map(({ event }) => event.requested_at),
      renewals.map(({ event }) => event.deadline_at),
    ],
  );
}

export async function lock(tx: Queryable, causes: readonly Cause[]): Promise<Map<string, ScreeningRow>> {
  if (causes.length === 0) return new Map();
  const { rows } = await tx.query<ScreeningRow>(
    prepared(`SELECT screening_id, revision, by_person, action, attempt, sequence, transfer,
       round(extract(epoch FROM requested_at) * 1000)::float8 AS requested_at
     FROM decision.screenings WHERE screening_id = ANY($1::uuid[]) ORDER BY screening_id FOR UPDATE`),
    [causes.map(({ event }) => event.screening_id)],
  );
  return new Map(rows.map((row) => [row.screening_id, row]));
}

/** Event ids of decisions that these causes led to before. */
export async function earlier(tx: Queryable, causes: readonly Cause[]): Promise<Map<string, string>> {
  if (causes.length === 0) return new Map();
  const { rows } = await tx.query<{ screening_id: string; cause: string; event_id: string }>(
    prepared(`SELECT d.screening_id, d.cause, d.event_id FROM decision.decisions d
     JOIN unnest($1::uuid[], $2::text[]) AS u(id, cause) ON d.screening_id = u.id AND d.cause = u.cause ORDER BY d.revision`),
    [causes.map(({ event }) => event.screening_id), causes.map(causeName)],
  );
  return new Map(rows.map((row) => [`${row.screening_id}/${row.cause}`, row.event_id]));
}

/**
 * Stores decisions, and each of their screenings with its last revision. `created`: events of screenings that are not stored yet. Throws
 * `TryAgain` if another transaction has stored one of these meanwhile.
 */
export async function save(
  tx: Queryable,
  made: readonly Made[],
  { rows, created }: { rows: ReadonlyMap<string, ScreeningRow>; created: ReadonlyMap<string, MachineCause['event']> },
): Promise<void> {
  if (made.length === 0) return;
  const { rowCount } = await tx.query(
    prepared(`WITH decided AS (
       SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::int[], $5::int[], $6::bool[], $7::text[], $8::jsonb[], $9::float8[], $10::float8[])
         AS u(id, revision, action, attempt, sequence, by_person, kind, transfer, requested, deadline)),
     added AS (
       INSERT INTO decision.screenings (screening_id, kind, transfer, requested_at, deadline_at, revision, action, attempt, sequence, by_person)
       SELECT u.id, u.kind, u.transfer, to_timestamp(u.requested / 1000.0), to_timestamp(u.deadline / 1000.0), u.revision, u.action, u.attempt, u.sequence, u.by_person
       FROM decided u WHERE u.kind IS NOT NULL ORDER BY 1 ON CONFLICT DO NOTHING RETURNING screening_id),
     changed AS (
       UPDATE decision.screenings s SET revision = u.revision, action = u.action, attempt = u.attempt, sequence = u.sequence, by_person = u.by_person
       FROM decided u WHERE s.screening_id = u.id AND u.kind IS NULL)
     INSERT INTO decision.decisions (screening_id, revision, cause, action, event_id, decided_at,
       policy_hash, rule, reason_codes, shadow, shadow_policy_hash, evidence)
     SELECT d.id, d.revision, d.cause, d.action, d.event_id, to_timestamp(d.decided / 1000.0), d.policy, d.rule, d.reasons, d.shadow, d.candidate, d.evidence
     FROM unnest($11::uuid[], $12::int[], $13::text[], $14::text[], $15::uuid[], $16::float8[], $17::text[], $18::text[], $19::json[], $20::text[], $21::text[], $22::json[], $23::bool[])
       AS d(id, revision, cause, action, event_id, decided, policy, rule, reasons, shadow, candidate, evidence, is_created)
     WHERE NOT d.is_created OR d.id IN (SELECT screening_id FROM added)`),
    [...latestValues(made, rows, created), ...decisionValues(made), made.map(({ decided }) => created.has(decided.screening_id))],
  );
  if (rowCount !== made.length) throw new TryAgain(() => Promise.resolve());
}

/** $1 to $10 of `save`. Only a created screening has the last four. */
function latestValues(
  made: readonly Made[],
  rows: ReadonlyMap<string, ScreeningRow>,
  created: ReadonlyMap<string, MachineCause['event']>,
): unknown[] {
  const latest = [...new Map(made.map(({ decided }) => [decided.screening_id, decided])).values()];
  const states = latest.map(({ screening_id }) => rows.get(screening_id));
  const events = latest.map(({ screening_id }) => created.get(screening_id));
  return [
    latest.map(({ screening_id }) => screening_id),
    latest.map(({ revision }) => revision),
    latest.map(({ action }) => action),
    states.map((row) => row?.attempt ?? 0),
    states.map((row) => row?.sequence ?? 0),
    states.map((row) => row?.by_person ?? false),
    events.map((event) => event?.kind ?? null),
    jsonArray(
      'jsonb',
      events.map((event) => (event === undefined ? null : JSON.stringify(event.transfer))),
    ),
    events.map((event) => event?.requested_at ?? null),
    events.map((event) => event?.deadline_at ?? null),
  ];
}

/** $11 to $22 of `save`. */
function decisionValues(made: readonly Made[]): unknown[] {
  return [
    made.map(({ decided }) => decided.screening_id),
    made.map(({ decided }) => decided.revision),
    made.map(({ cause }) => cause),
    made.map(({ decided }) => decided.action),
    made.map(({ event }) => event.id),
    made.map(({ decided }) => decided.decided_at),
    made.map(({ decided, evidence }) => (evidence === null ? null : decided.policy_hash)),
    made.map(({ decided }) => decided.rule),
    jsonArray(
      'json',
      made.map(({ decided }) => JSON.stringify(decided.reason_codes)),
    ),
    made.map(({ decided }) => decided.shadow),
    made.map(({ decided }) => decided.shadow_policy_hash),
    jsonArray(
      'json',
      made.map(({ evidence }) => (evidence === null ? null : JSON.stringify(evidence))),
    ),
  ];
}
