import type { Action, ScreeningDecided, Transfer } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import type { NewEvent } from '@weir/service-kit';
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

export async function save(tx: Queryable, made: readonly Made[], rows: ReadonlyMap<string, ScreeningRow>): Promise<void> {
  if (made.length === 0) return;
  const inserted = tx.query(
    prepared(`INSERT INTO decision.decisions (screening_id, revision, cause, action, event_id, decided_at,
       policy_hash, rule, reason_codes, shadow, shadow_policy_hash, evidence)
     SELECT u.id, u.revision, u.cause, u.action, u.event_id, to_timestamp(u.decided / 1000.0), u.policy, u.rule, u.reasons, u.shadow, u.candidate, u.evidence
     FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::uuid[], $6::float8[], $7::text[], $8::text[], $9::json[], $10::text[], $11::text[], $12::json[])
       AS u(id, revision, cause, action, event_id, decided, policy, rule, reasons, shadow, candidate, evidence)`),
    [
      made.map(({ decided }) => decided.screening_id),
      made.map(({ decided }) => decided.revision),
      made.map(({ cause }) => cause),
      made.map(({ decided }) => decided.action),
      made.map(({ event }) => event.id),
      made.map(({ decided }) => decided.decided_at),
      made.map(({ decided, evidence }) => (evidence === null ? null : decided.policy_hash)),
      made.map(({ decided }) => decided.rule),
      made.map(({ decided }) => JSON.stringify(decided.reason_codes)),
      made.map(({ decided }) => decided.shadow),
      made.map(({ decided }) => decided.shadow_policy_hash),
      made.map(({ evidence }) => (evidence === null ? null : JSON.stringify(evidence))),
    ],
  );
  const latest = [...new Map(made.map(({ decided }) => [decided.screening_id, decided])).values()];
  const updated = tx.query(
    prepared(`UPDATE decision.screenings s SET revision = u.revision, action = u.action, attempt = u.attempt, sequence = u.sequence, by_person = u.by_person
     FROM unnest($1::uuid[], $2::int[], $3::text[], $4::int[], $5::int[], $6::bool[]) AS u(id, revision, action, attempt, sequence, by_person)
     WHERE s.screening_id = u.id`),
    [
      latest.map((decided) => decided.screening_id),
      latest.map((decided) => decided.revision),
      latest.map((decided) => decided.action),
      latest.map((decided) => rows.get(decided.screening_id)?.attempt ?? 0),
      latest.map((decided) => rows.get(decided.screening_id)?.sequence ?? 0),
      latest.map((decided) => rows.get(decided.screening_id)?.by_person ?? false),
    ],
  );
  await Promise.all([inserted, updated]);
}
