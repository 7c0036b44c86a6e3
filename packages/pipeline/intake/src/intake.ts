import { within } from '@weir/clock';
import { eventId, type ScreeningRequested, type Topic } from '@weir/contracts';
import { PoisonRecord, type Subscription } from '@weir/event-log';
import { databaseNow, migrate, PostgresError, prepared, type Queryable, transaction } from '@weir/postgres';
import {
  type Caller,
  coalesce,
  loadConfig,
  type NewEvent,
  Outbox,
  type Pipeline,
  requestedEvent,
  type Stage,
  type Step,
  type StepEvent,
  type StoredEvent,
} from '@weir/service-kit';
import { type CallerTimeSettings, callerTimeProblem, withCallerTime } from './caller-time.ts';
import { type Claimed, claim, findRequest, isTaken, type Standing } from './claim.ts';
import { intakeMigrations } from './migrations.ts';
import { type IntakeSettings, intakeSchema } from './config.ts';
import { type RawTransfer, toDeposit, toWithdrawal } from './raw-transfer.ts';
import { type CheckedTransfer, checkTransfer, isMalformed } from './transfer.ts';

/** How long a caller waits for publishing. The answer does not wait longer for an unavailable log. */
const publishWaitMs = 1_000;

interface Accepting {
  readonly checked: CheckedTransfer;
  readonly caller: Caller | undefined;
}

interface Accepted {
  readonly standing: Standing;
  /** Resolves when its event is published, or cannot be now. */
  readonly published: Promise<void>;
}

const acceptedAtOnce = 250;
/** A stalled replica with a transfer in hand must not block the others of a transaction. */
const lockTimeoutMs = 2_000;
const lockNotAvailable = '55P03';

/** Stores each transfer once and requests its screening, in the services that receive transfers. */
export class Intake {
  readonly #pipeline: Pipeline;
  readonly #outbox: Outbox;
  readonly #deadlineMs: number;
  readonly #callerTime: CallerTimeSettings;
  readonly #accept: (items: readonly Accepting[]) => Promise<readonly Accepted[]>;
  readonly #readNow: (callers: readonly true[]) => Promise<readonly number[]>;

  private constructor(pipeline: Pipeline, outbox: Outbox, options: { deadlineMs: number } & CallerTimeSettings) {
    this.#pipeline = pipeline;
    this.#outbox = outbox;
    this.#deadlineMs = options.deadlineMs;
    this.#callerTime = options;
    this.#accept = coalesce((items) => this.#acceptAll(items), acceptedAtOnce);
    this.#readNow = coalesce(async (callers) => {
      const now = await databaseNow(pipeline.pool);
      return callers.map(() => now);
    });
  }

  static async open(pipeline: Pipeline, options: { service: string; deadlineMs: number } & Partial<IntakeSettings>): Promise<Intake> {
    await migrate(pipeline.pool, 'intake', intakeMigrations);
    const outbox = new Outbox({
      pool: pipeline.pool,
      log: pipeline.log,
      codec: pipeline.codec,
      service: options.service,
      metrics: pipeline.metrics,
    });
    outbox.start(pipeline.clock, (err) => pipeline.logger.warn({ err }, 'stored events could not be published; trying again'));
    return new Intake(pipeline, outbox, { ...loadConfig(intakeSchema, {}), ...options });
  }

  /** The time of receipt, by the database's clock. The one of this process may be wrong. Concurrent callers share a statement. */
  async now(): Promise<number> {
    const [now] = await this.#readNow([true]);
    if (now === undefined) throw new TypeError('the database returned no time');
    return now;
  }

  /** Accepts one transfer from a caller, received at `now()`. Once this resolves with `new` or `known`, it will be screened. */
  async accept(checked: CheckedTransfer, caller?: Caller): Promise<Standing> {
    const [accepted] = await this.#accept([{ checked, caller }]);
    if (accepted !== undefined) await this.#untilPublished(accepted.published);
    return accepted?.standing ?? 'conflict';
  }

  async #untilPublished(published: Promise<void>): Promise<void> {
    await within(this.#pipeline.clock, publishWaitMs, published, { late: () => undefined });
  }

  /** Concurrent transfers share a transaction. The next one does not wait for publishing. */
  async #acceptAll(items: readonly Accepting[]): Promise<readonly Accepted[]> {
    const { stages, logger } = this.#pipeline;
    const taking = stages.run(this.#pipeline, this.#outbox, (tx) => this.#acceptIn(tx, items), { lockTimeoutMs });
    const { first, published } = await taking.catch((error: unknown) => {
      // Several are retried one by one; for a single one the caller retries later.
      if (items.length > 1 || (error as { code?: unknown }).code !== lockNotAvailable) throw error;
      throw new PostgresError('DATABASE_UNAVAILABLE', 'another replica has this transfer in hand', { cause: error });
    });
    // The events are durable, and the sweep publishes the rest.
    const told = published.catch((err: unknown) => logger.warn({ err }, 'accepted; it will be published later'));
    return first.claimed.map(({ standing }) => ({ standing, published: told }));
  }

  async #acceptIn(tx: Queryable, items: readonly Accepting[]): Promise<Step & { claimed: readonly Claimed[] }> {
    const claimed = await claim(
      tx,
      items.map(({ checked }) => withCallerTime(checked, this.#callerTime)),
      this.#deadlineMs,
      items.map(({ caller }) => caller?.id ?? null),
    );
    // The events of a known transfer are in the log, or may wait in the outbox.
    const accepted = claimed.filter(({ standing }) => standing === 'new' || (standing === 'known' && !this.#outbox.appends));
    const told = accepted.map(toldEvent);
    // Requests the screening now, so that nothing is left to do where the transfer is read from its topic.
    return { claimed, events: unique([...told, ...accepted.map(firstEvent)]), settled: new Set(told.map(({ id }) => id)) };
  }

  /** Requests the screening of transfers from a topic. Throws `PoisonRecord` for one that is malformed or conflicts with an earlier one. */
  async request(raws: readonly RawTransfer[]): Promise<void> {
    const { published } = await this.#pipeline.stages.run(this.#pipeline, this.#outbox, (tx) => this.#requestIn(tx, raws));
    await published;
  }

  async #requestIn(tx: Queryable, raws: readonly RawTransfer[]): Promise<Step> {
    const checked = raws.map((raw) => {
      const result = checkTransfer(raw);
      if (isMalformed(result)) throw new PoisonRecord('MALFORMED', result.problems.map(({ detail }) => detail).join('; '));
      return result;
    });
    const now = await databaseNow(tx);
    const claimed = await claim(
      tx,
      // A broker clock ahead of the database's must not extend the deadline.
      checked.map((one) => this.#receivedAt(one, Math.min(one.given.received_at, now))),
      this.#deadlineMs,
    );
    const conflict = checked[claimed.findIndex(({ standing }) => standing === 'conflict')];
    if (conflict !== undefined) {
      throw new PoisonRecord(
        'CONFLICTING_CONTENT',
        `${conflict.transfer.kind} ${conflict.transfer.source_id} was received before with other content`,
      );
    }
    const isNew = new Set(claimed.filter(({ standing }) => standing === 'new').map(({ request }) => request.screening_id));
    // Nothing follows from a repeat of an erased one.
    const present = claimed.filter(({ standing }) => standing !== 'erased');
    const events = Map.groupBy(present, ({ request }) => isNew.has(request.screening_id));
    // Most known transfers came from a caller, so their requests exist already, in any case where the log appends.
    const { missing, waiting } = await this.#outbox.findLost(tx, unique((events.get(false) ?? []).map(firstEvent)));
    return { repeats: waiting, events: [...missing, ...unique((events.get(true) ?? []).map(firstEvent))] };
  }

  /** Joins the group that reads the topic of these transfers. */
  join<T extends Topic>(
    stage: Pick<Stage<T>, 'group' | 'topics'> & { readonly toRaw: (event: StepEvent<T>) => RawTransfer },
  ): Promise<Subscription> {
    return this.#pipeline.stages.join(this.#pipeline, {
      ...stage,
      says: ['screenings.requested'],
      outbox: this.#outbox,
      step: (tx, events) => this.#requestIn(tx, events.map(stage.toRaw)),
    });
  }

  /**
   * Stores in `tx` the request to screen again, after the allow of that revision has lapsed. Pass the result to `publish` after the commit.
   */
  async renew(tx: Queryable, of: { screeningId: string; revision: number }): Promise<readonly StoredEvent[]> {
    const [first, now] = await Promise.all([findRequest(tx, of.screeningId), databaseNow(tx)]);
    const request: ScreeningRequested = {
      ...first,
      attempt: of.revision + 1,
      // A caller waits for it, whatever the first lane was.
      lane: first.kind,
      renews_revision: of.revision,
      requested_at: now,
      deadline_at: now + this.#deadlineMs,
    };
    return this.#outbox.store(tx, [requestedEvent(request, now)]);
  }

  /**
   * Requests a new screening of a deposit that a reorganisation took back, which holds it with `TAKEN_BACK`, or of one that the chain has
   * again. Returns the revision that it corrects. Undefined: not yet, because the transfer has not come, or no decision after revision `after`.
   */
  async correct(screeningId: string, of: { isTakenBack: boolean; after: number | null }): Promise<number | undefined> {
    const corrected = await transaction(this.#pipeline.pool, async (tx) => {
      const revision = await latestRevision(tx, screeningId);
      if ((of.after !== null && revision <= of.after) || !(await isTaken(tx, screeningId))) return undefined;
      const [first, now] = [await findRequest(tx, screeningId), await databaseNow(tx)];
      const request: ScreeningRequested = {
        ...first,
        attempt: revision + 1,
        renews_revision: revision,
        ...(of.isTakenBack && { fault: 'INVALID_TRANSFER', warnings: ['TAKEN_BACK'] }),
        requested_at: now,
        deadline_at: now + this.#deadlineMs,
      };
      return { revision, events: await this.#outbox.store(tx, [requestedEvent(request, now)]) };
    });
    if (corrected === undefined) return undefined;
    await this.publish(corrected.events);
    return corrected.revision;
  }

  async publish(events: readonly StoredEvent[]): Promise<void> {
    await this.#outbox.publish(events).catch((err: unknown) => this.#pipeline.logger.warn({ err }, 'stored; it will be published later'));
  }

  /** The problem with a new transfer's time, received at `now()`. A repeat has none, however old it is. */
  async findTimeProblem(checked: CheckedTransfer): Promise<string | undefined> {
    const problem = callerTimeProblem(checked, this.#callerTime);
    return problem === undefined || (await isTaken(this.#pipeline.pool, checked.screeningId)) ? undefined : problem;
  }

  /** Starts the deadline, on the database's clock, which all replicas share. */
  #receivedAt(checked: CheckedTransfer, at: number): CheckedTransfer {
    return withCallerTime({ ...checked, given: { ...checked.given, received_at: at } }, this.#callerTime);
  }

  async stop(): Promise<void> {
    await this.#outbox.stop();
  }
}

/** Derived only from stored data, so it has the same bytes again after the outbox has deleted it. */
export function toldEvent({ given, request }: Pick<Claimed, 'given' | 'request'>): NewEvent {
  const { screening_id, requested_at, transfer } = request;
  const told =
    given.kind === 'deposit'
      ? { topic: 'deposits.detected' as const, data: toDeposit(given) }
      : { topic: 'withdrawals.requested' as const, data: toWithdrawal(given) };
  return { ...told, id: eventId(told.topic, screening_id), key: transfer.source_id, screeningId: screening_id, time: requested_at };
}

/** A batch may hold a transfer twice; both have the same events. */
function unique(events: readonly NewEvent[]): NewEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/** The first request, whenever it is published. */
function firstEvent({ request }: Claimed): NewEvent {
  return requestedEvent(request, request.requested_at);
}

/** 0: there is no decision yet, or decision has another database. */
async function latestRevision(tx: Queryable, screeningId: string): Promise<number> {
  const { rows } = await tx.query<{ there: boolean }>(prepared(`SELECT to_regclass('decision.decided') IS NOT NULL AS there`));
  if (rows[0]?.there !== true) return 0;
  const decided = await tx.query<{ revision: number | null }>(
    prepared('SELECT max(revision) AS revision FROM decision.decided WHERE screening_id = $1'),
    [screeningId],
  );
  return decided.rows[0]?.revision ?? 0;
}
