import { eventId, type ScreeningDecided, type ScreeningRequested, type ScreeningScored } from '@weir/contracts';
import { decide, type Policy } from '@weir/policy';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import type { NewEvent, Outbox, StoredEvent } from '@weir/service-kit';

/** Something that may lead to a decision. */
export type Cause =
  | { readonly kind: 'requested'; readonly event: ScreeningRequested }
  | { readonly kind: 'scored'; readonly event: ScreeningScored }
  /** Nobody told of a result in time: the screening is held without one. */
  | { readonly kind: 'deadline'; readonly event: ScreeningRequested };

interface Row extends Record<string, unknown> {
  screening_id: string;
  revision: number;
  by_person: boolean;
  attempt: number;
  sequence: number;
}

export interface Decided {
  /** To be published: new decisions, and stored ones that were asked for again. */
  readonly events: readonly StoredEvent[];
  readonly made: readonly ScreeningDecided[];
}

/**
 * Takes in what is known of screenings and decides, in one transaction. A cause that has led to a decision before leads to
 * the same stored one; an older result than the one decided on leads to none; a machine's result never overrides a person.
 */
export async function decideBatch(pool: Pool, outbox: Outbox, policy: Policy, causes: readonly Cause[], now: number): Promise<Decided> {
  return transaction(pool, async (tx) => {
    await register(tx, causes);
    const deciding = causes.filter((cause) => cause.kind !== 'requested');
    const rows = await lock(tx, deciding);
    const before = await earlier(tx, deciding);
    const made: { decided: ScreeningDecided; cause: string; event: NewEvent<'screenings.decided'> }[] = [];
    for (const cause of deciding) {
      const row = rows.get(cause.event.screening_id);
      if (row === undefined || before.has(`${cause.event.screening_id}/${causeName(cause)}`) || !supersedes(cause, row)) continue;
      const decided = toDecision(policy, cause, row.revision + 1, now);
      made.push({ decided, cause: causeName(cause), event: toEvent(decided) });
      row.revision += 1;
      if (cause.kind === 'scored') Object.assign(row, { attempt: cause.event.attempt, sequence: cause.event.sequence });
    }
    await save(tx, made, rows);
    const again = await outbox.load(tx, [...before.values()]);
    return {
      events: [
        ...again,
        ...(await outbox.store(
          tx,
          made.map(({ event }) => event),
        )),
      ],
      made: made.map(({ decided }) => decided),
    };
  });
}

function causeName(cause: Cause): string {
  return cause.kind === 'scored' ? `scored/${cause.event.attempt}/${cause.event.sequence}` : cause.kind;
}

function supersedes(cause: Cause, row: Row): boolean {
  if (row.by_person) return false;
  if (cause.kind !== 'scored') return row.revision === 0;
  const { attempt, sequence } = cause.event;
  const isNewer = attempt > row.attempt || (attempt === row.attempt && sequence > row.sequence);
  // That nothing could be learnt adds nothing to a decision there is: to a hold at the deadline, least of all to one made on a result.
  const addsNothing = row.revision > 0 && cause.event.outcome === 'UNAVAILABLE';
  return isNewer && !addsNothing;
}

function toDecision(policy: Policy, cause: Cause, revision: number, now: number): ScreeningDecided {
  const { event } = cause;
  const scored = cause.kind === 'scored' ? cause.event : undefined;
  const verdict = decide(policy, {
    kind: event.kind,
    outcome: scored?.outcome ?? 'UNAVAILABLE',
    riskLevel: scored?.risk_level ?? null,
    riskDetail: scored?.risk_detail ?? [],
    reasons: scored?.reasons ?? ['DEADLINE_PASSED'],
    usdValue: event.transfer.usd_value,
  });
  return {
    screening_id: event.screening_id,
    revision,
    kind: event.kind,
    action: verdict.action,
    reason_codes: verdict.reasonCodes,
    rule: verdict.rule,
    policy_hash: policy.hash,
    shadow: null,
    supersedes: revision === 1 ? null : revision - 1,
    outcome: scored?.outcome ?? 'UNAVAILABLE',
    score: scored?.score ?? null,
    risk_level: scored?.risk_level ?? null,
    requested_at: event.requested_at,
    decided_at: now,
    transfer: event.transfer,
  };
}

function toEvent(decided: ScreeningDecided): NewEvent<'screenings.decided'> {
  return {
    topic: 'screenings.decided',
    id: eventId('screenings.decided', decided.screening_id, decided.revision),
    key: decided.transfer.source_id,
    screeningId: decided.screening_id,
    time: decided.decided_at,
    data: decided,
  };
}

/** A result may come before its request, for they come by different topics: either brings the screening into being. */
async function register(tx: Queryable, causes: readonly Cause[]): Promise<void> {
  const unique = [...new Map(causes.map(({ event }) => [event.screening_id, event])).values()];
  await tx.query(
    `INSERT INTO decision.screenings (screening_id, kind, transfer, requested_at, deadline_at)
     SELECT u.id, u.kind, u.transfer, to_timestamp(u.requested / 1000.0), to_timestamp(u.deadline / 1000.0)
     FROM unnest($1::uuid[], $2::text[], $3::jsonb[], $4::float8[], $5::float8[]) AS u(id, kind, transfer, requested, deadline)
     ORDER BY 1 ON CONFLICT DO NOTHING`,
    [
      unique.map((event) => event.screening_id),
      unique.map((event) => event.kind),
      unique.map((event) => JSON.stringify(event.transfer)),
      unique.map((event) => event.requested_at),
      unique.map((event) => event.deadline_at),
    ],
  );
}

async function lock(tx: Queryable, causes: readonly Cause[]): Promise<Map<string, Row>> {
  const { rows } = await tx.query<Row>(
    `SELECT screening_id, revision, by_person, attempt, sequence FROM decision.screenings
     WHERE screening_id = ANY($1::uuid[]) ORDER BY screening_id FOR UPDATE`,
    [causes.map(({ event }) => event.screening_id)],
  );
  return new Map(rows.map((row) => [row.screening_id, row]));
}

/** Event ids of the decisions that these causes have led to before. */
async function earlier(tx: Queryable, causes: readonly Cause[]): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ screening_id: string; cause: string; event_id: string }>(
    `SELECT d.screening_id, d.cause, d.event_id FROM decision.decisions d
     JOIN unnest($1::uuid[], $2::text[]) AS u(id, cause) ON d.screening_id = u.id AND d.cause = u.cause ORDER BY d.revision`,
    [causes.map(({ event }) => event.screening_id), causes.map(causeName)],
  );
  return new Map(rows.map((row) => [`${row.screening_id}/${row.cause}`, row.event_id]));
}

async function save(
  tx: Queryable,
  made: readonly { decided: ScreeningDecided; cause: string; event: NewEvent }[],
  rows: ReadonlyMap<string, Row>,
): Promise<void> {
  if (made.length === 0) return;
  await tx.query(
    `INSERT INTO decision.decisions (screening_id, revision, cause, action, event_id, decided_at)
     SELECT u.id, u.revision, u.cause, u.action, u.event_id, to_timestamp(u.decided / 1000.0)
     FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::uuid[], $6::float8[]) AS u(id, revision, cause, action, event_id, decided)`,
    [
      made.map(({ decided }) => decided.screening_id),
      made.map(({ decided }) => decided.revision),
      made.map(({ cause }) => cause),
      made.map(({ decided }) => decided.action),
      made.map(({ event }) => event.id),
      made.map(({ decided }) => decided.decided_at),
    ],
  );
  const latest = [...new Map(made.map(({ decided }) => [decided.screening_id, decided])).values()];
  await tx.query(
    `UPDATE decision.screenings s SET revision = u.revision, action = u.action, attempt = u.attempt, sequence = u.sequence
     FROM unnest($1::uuid[], $2::int[], $3::text[], $4::int[], $5::int[]) AS u(id, revision, action, attempt, sequence)
     WHERE s.screening_id = u.id`,
    [
      latest.map((decided) => decided.screening_id),
      latest.map((decided) => decided.revision),
      latest.map((decided) => decided.action),
      latest.map((decided) => rows.get(decided.screening_id)?.attempt ?? 0),
      latest.map((decided) => rows.get(decided.screening_id)?.sequence ?? 0),
    ],
  );
}
