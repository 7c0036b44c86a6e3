import { compareAmounts, parseAmount } from '@weir/chains';
import {
  type Action,
  eventId,
  type HistoryWindow,
  isSameQuestion,
  type ReviewResolved,
  type ScreeningDecided,
  type ScreeningRequested,
  type ScreeningScored,
  type Transfer,
} from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import type { Policy } from '@weir/policy';
import { type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import type { ReviewSettings } from '@weir/reviews';
import type { NewEvent, Outbox, StoredEvent } from '@weir/service-kit';
import { evidenceOf, type Policies, reasonsOf, type StoredEvidence, toDecision, valueOf } from './evidence.ts';
import { historyOf, lockUsers, windowsOf } from './history.ts';
import type { PoliciesInForce } from './policies.ts';
import { decidedByPeople, isOfLatest, readReviews, requireApplicable, requireStored, type ReviewRecords } from './resolved.ts';

interface RequestCause {
  readonly kind: 'requested';
  readonly event: ScreeningRequested;
}

/** An automatic cause of a decision. */
type MachineCause =
  | RequestCause
  | { readonly kind: 'scored'; readonly event: ScreeningScored }
  /** No result came in time: the screening is held without one. */
  | { readonly kind: 'deadline'; readonly event: ScreeningRequested };

/** A cause of a decision: automatic, or a resolution by people. */
export type Cause = MachineCause | { readonly kind: 'resolved'; readonly event: ReviewResolved };

interface Row extends Record<string, unknown> {
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

interface Made {
  readonly decided: ScreeningDecided;
  readonly cause: string;
  readonly event: NewEvent<'screenings.decided'>;
  /** Null for a decision by people: it is not replayed. */
  readonly evidence: StoredEvidence | null;
}

export interface Decided {
  /** To be published: new decisions, and stored ones whose cause came again. */
  readonly events: readonly StoredEvent[];
  readonly made: readonly ScreeningDecided[];
  /** Resolutions of superseded revisions, without effect. */
  readonly superseded: readonly ReviewResolved[];
}

export interface Decider {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly inForce: PoliciesInForce;
  readonly reviews: ReviewSettings;
}

/**
 * Registers the screenings and decides, in one transaction:
 * - A repeated cause gives the stored decision again.
 * - A result older than the one decided on gives none.
 * - An automatic result overrides people only if the allow has expired.
 * - A resolution counts for its own revision only.
 * Throws `PoisonRecord` for a resolution that the console did not store so or the review rules forbid, and for a result about another
 * subject.
 */
export async function decideBatch({ pool, outbox, inForce, reviews }: Decider, causes: readonly Cause[], now: number): Promise<Decided> {
  return transaction(pool, async (tx) => {
    const deciding = causes.filter((cause) => cause.kind !== 'requested');
    const renewals = causes.filter(isRenewal);
    const registered = register(tx, causes.filter(isMachine));
    if (deciding.length === 0 && renewals.length === 0) {
      await registered;
      return { events: [], made: [], superseded: [] };
    }
    const [, policies] = await Promise.all([registered, inForce.read(tx)]);
    await lockHistory(tx, policies, deciding.filter(isMachine));
    // All rows at once, in one order: a second statement could deadlock.
    const rows = await lock(tx, [...deciding, ...renewals]);
    await storeRenewals(tx, renewals);
    // Most have no decision yet, and so no earlier one.
    const before = await earlier(
      tx,
      deciding.filter(({ event }) => (rows.get(event.screening_id)?.revision ?? 0) > 0),
    );
    await storeValues(tx, policies.active, deciding, rows);
    const history = await readHistory(tx, policies, rows);
    const reviewed = await readReviews(
      tx,
      deciding.flatMap((cause) => (isMachine(cause) ? [] : cause.event)),
    );
    const { made, superseded } = decideEach(deciding, { rows, done: new Set(before.keys()), policies, history, reviewed, reviews, now });
    const [, again, stored] = await Promise.all([
      save(tx, made, rows),
      outbox.load(tx, [...before.values()]),
      outbox.store(
        tx,
        made.map(({ event }) => event),
      ),
    ]);
    return { events: [...again, ...stored], made: made.map(({ decided }) => decided), superseded };
  });
}

/** Decides in order: each decision changes the row for the next cause of its screening. */
function decideEach(
  causes: readonly Exclude<Cause, RequestCause>[],
  of: {
    rows: ReadonlyMap<string, Row>;
    /** Names of causes that have a decision; gains those that get one. */
    done: Set<string>;
    policies: Policies;
    history: ReadonlyMap<string, readonly HistoryWindow[]>;
    reviewed: ReviewRecords;
    reviews: ReviewSettings;
    now: number;
  },
): Pick<Decided, 'superseded'> & { made: Made[] } {
  const { rows, done, policies, history, reviewed, reviews, now } = of;
  const made: Made[] = [];
  const superseded: ReviewResolved[] = [];
  for (const cause of causes) {
    const id = cause.event.screening_id;
    const name = `${id}/${causeName(cause)}`;
    // A repeated resolution too: another content may come under its id.
    const resolution = cause.kind === 'resolved' ? requireStored(cause.event, reviewed) : undefined;
    const row = rows.get(id);
    if (cause.kind === 'scored' && row !== undefined) requireSameQuestion(cause.event, row);
    if (done.has(name)) continue;
    done.add(name);
    if (cause.kind === 'resolved' && (!isOfLatest(cause.event, row?.revision) || row === undefined)) {
      superseded.push(cause.event);
      continue;
    }
    if (resolution !== undefined && row !== undefined) requireApplicable(resolution, row.transfer, reviewed, reviews);
    if (row === undefined || (isMachine(cause) && !supersedes(cause, row))) continue;
    made.push(decideOne({ cause, row, policies, history: history.get(id) ?? [], reviewed, now }));
    row.revision += 1;
    row.action = made.at(-1)?.decided.action ?? null;
    row.by_person = cause.kind === 'resolved';
    if (cause.kind === 'scored') Object.assign(row, { attempt: cause.event.attempt, sequence: cause.event.sequence });
  }
  return { made, superseded };
}

function decideOne(of: {
  cause: Cause;
  row: Row;
  policies: Policies;
  history: readonly HistoryWindow[];
  reviewed: ReviewRecords;
  now: number;
}): Made {
  const { cause, row, policies, now } = of;
  if (cause.kind === 'resolved') {
    const decided = decidedByPeople(cause.event, row, of.reviewed, { policyHash: policies.active.hash, decidedAt: now });
    return { decided, cause: causeName(cause), event: toEvent(decided), evidence: null };
  }
  const evidence = evidenceOf(cause.kind === 'scored' ? cause.event : undefined, row.transfer, of.history);
  const decided = toDecision(policies, {
    screeningId: row.screening_id,
    revision: row.revision + 1,
    transfer: row.transfer,
    evidence,
    requestedAt: row.requested_at,
    decidedAt: now,
  });
  return { decided, cause: causeName(cause), event: toEvent(decided), evidence };
}

/** A later request may carry another transfer under the same id; its result says nothing about this transfer. */
function requireSameQuestion({ transfer }: ScreeningScored, row: Row): void {
  if (!isSameQuestion(transfer, row.transfer))
    throw new PoisonRecord('CONFLICTING_TRANSFER', 'the result is about another chain or subject than the transfer of this screening');
}

function isMachine<C extends Cause>(cause: C): cause is Exclude<C, { readonly kind: 'resolved' }> {
  return cause.kind !== 'resolved';
}

/** Whether an allow is to be screened again. */
function isRenewal(cause: Cause): cause is RequestCause {
  return cause.kind === 'requested' && cause.event.renews_revision !== null;
}

function causeName(cause: Cause): string {
  if (cause.kind === 'resolved') return `resolved/${cause.event.resolution_id}`;
  if (cause.kind === 'scored') return `scored/${cause.event.attempt}/${cause.event.sequence}`;
  const { renews_revision } = cause.event;
  return renews_revision === null ? cause.kind : `${cause.kind}/renews/${renews_revision}`;
}

function supersedes(cause: MachineCause, row: Row): boolean {
  if (cause.kind !== 'scored') return row.revision === 0 || renews(cause.event, row);
  const { attempt, sequence } = cause.event;
  const isNewer = attempt > row.attempt || (attempt === row.attempt && sequence > row.sequence);
  if (isNewer && renews(cause.event, row)) return true;
  return isNewer && !row.by_person && (row.revision === 0 || addsSomething(cause.event));
}

/** Whether it replaces an expired allow: one by people too, and by a result without a level too, which holds. */
function renews({ renews_revision }: ScreeningScored | ScreeningRequested, { revision, action }: Row): boolean {
  return action === 'allow' && renews_revision === revision;
}

/**
 * Whether a result may change an existing decision. A failed lookup may not, nor a re-screening without a level or `NO_DATA`: a decision
 * on a level is not held because the API fails now. A local sanctions match always counts.
 */
function addsSomething({ attempt, outcome, risk_level, reasons }: ScreeningScored): boolean {
  if (reasons.includes('LOCAL_SANCTIONS_MATCH')) return true;
  if (attempt === 1) return outcome !== 'UNAVAILABLE';
  return outcome === 'NO_DATA' || (outcome === 'SCORED' && risk_level !== null);
}

/** Only for policies that read history. Before any row lock, so that no two batches deadlock. */
async function lockHistory(tx: Queryable, policies: Policies, causes: readonly MachineCause[]): Promise<void> {
  if (windowsOf(policies.active, policies.shadow).length === 0) return;
  await lockUsers(
    tx,
    causes.map(({ event }) => event.transfer),
  );
}

/**
 * History counts a transfer at the larger of its declared value and its known price. Without an answer about the price the declared value
 * proves nothing, so the value is unknown until a result has one.
 */
async function storeValues(tx: Queryable, policy: Policy, causes: readonly Cause[], rows: ReadonlyMap<string, Row>): Promise<void> {
  // Null: unknown.
  const values = new Map<string, string | null>();
  for (const cause of causes) {
    const row = rows.get(cause.event.screening_id);
    if (!isMachine(cause) || row === undefined || row.transfer.user_id === null) continue;
    const { screening_id, transfer, requested_at, revision } = row;
    const scored = cause.kind === 'scored' ? cause.event : undefined;
    const declared = transfer.usd_value === null ? undefined : parseAmount(transfer.usd_value);
    const known = scored === undefined ? undefined : valueOf(policy, transfer, scored, requested_at);
    const isUnverified = known === undefined && reasonsOf(scored, transfer).includes('PRICE_UNAVAILABLE');
    const before = values.get(screening_id);
    if (isUnverified) values.set(screening_id, before ?? null);
    else if (known !== undefined && (declared === undefined || compareAmounts(known, declared) > 0)) values.set(screening_id, known);
    // An earlier result may have made the declared value unknown.
    else if (declared !== undefined && (revision > 0 || before === null)) values.set(screening_id, declared);
  }
  if (values.size === 0) return;
  await tx.query(
    prepared(`UPDATE decision.transfers t SET usd_value = CASE WHEN u.value IS NOT NULL THEN greatest(t.usd_value, u.value) END
     FROM unnest($1::uuid[], $2::numeric[]) AS u(id, value)
     WHERE t.screening_id = u.id AND t.usd_value IS DISTINCT FROM CASE WHEN u.value IS NOT NULL THEN greatest(t.usd_value, u.value) END
       -- A value that an earlier result verified stays.
       AND (u.value IS NOT NULL OR NOT EXISTS (SELECT FROM decision.decisions d
         WHERE d.screening_id = u.id AND NOT d.evidence::jsonb->'reasons' ? 'PRICE_UNAVAILABLE'))`),
    [[...values.keys()], [...values.values()]],
  );
}

/** The history that the policies may read, by screening. */
async function readHistory(tx: Queryable, policies: Policies, rows: ReadonlyMap<string, Row>): Promise<Map<string, HistoryWindow[]>> {
  const windows = windowsOf(policies.active, policies.shadow);
  if (windows.length === 0) return new Map();
  const occasions = [...rows.values()].map(({ transfer, requested_at }) => ({ transfer, requestedAt: requested_at }));
  const found = await historyOf(tx, windows, occasions);
  return new Map([...rows.keys()].map((id, n) => [id, found[n] ?? []]));
}

export function toEvent(decided: ScreeningDecided): NewEvent<'screenings.decided'> {
  return {
    topic: 'screenings.decided',
    id: eventId('screenings.decided', decided.screening_id, decided.revision),
    key: decided.transfer.source_id,
    screeningId: decided.screening_id,
    time: decided.decided_at,
    data: decided,
  };
}

/** A result and its request come by different topics in any order: either one creates the screening. */
async function register(tx: Queryable, causes: readonly MachineCause[]): Promise<void> {
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
async function storeRenewals(tx: Queryable, renewals: readonly RequestCause[]): Promise<void> {
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

async function lock(tx: Queryable, causes: readonly Cause[]): Promise<Map<string, Row>> {
  if (causes.length === 0) return new Map();
  const { rows } = await tx.query<Row>(
    prepared(`SELECT screening_id, revision, by_person, action, attempt, sequence, transfer,
       round(extract(epoch FROM requested_at) * 1000)::float8 AS requested_at
     FROM decision.screenings WHERE screening_id = ANY($1::uuid[]) ORDER BY screening_id FOR UPDATE`),
    [causes.map(({ event }) => event.screening_id)],
  );
  return new Map(rows.map((row) => [row.screening_id, row]));
}

/** Event ids of decisions that these causes led to before. */
async function earlier(tx: Queryable, causes: readonly Cause[]): Promise<Map<string, string>> {
  if (causes.length === 0) return new Map();
  const { rows } = await tx.query<{ screening_id: string; cause: string; event_id: string }>(
    prepared(`SELECT d.screening_id, d.cause, d.event_id FROM decision.decisions d
     JOIN unnest($1::uuid[], $2::text[]) AS u(id, cause) ON d.screening_id = u.id AND d.cause = u.cause ORDER BY d.revision`),
    [causes.map(({ event }) => event.screening_id), causes.map(causeName)],
  );
  return new Map(rows.map((row) => [`${row.screening_id}/${row.cause}`, row.event_id]));
}

async function save(tx: Queryable, made: readonly Made[], rows: ReadonlyMap<string, Row>): Promise<void> {
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
