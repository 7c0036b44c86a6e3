import { CircuitBreaker, type Clock, repeat, Signal } from '@weir/clock';
import type { Lane, ReasonCode } from '@weir/contracts';
import { Claims, type Pool } from '@weir/postgres';
import { lanes, PacedSender, type RateBudget } from '@weir/rate-budget';
import { coalesce, type Logger } from '@weir/service-kit';
import { create, type LookupDeps, follow, type LookupResult } from './run-lookup.ts';
import { LookupQueues } from './lookup-queues.ts';
import { claim, type Finished, lanesOf, type Lookup, lookups, moveSpent, release } from './lookups.ts';
import type { TokenShares } from './token-shares.ts';

const lookEveryMs = 1_000;
const saveAtOnce = 200;
const longestDelayMs = 300_000;

export interface LookupRunnerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly budget: RateBudget;
  readonly limits: { perSecond: number; perDay: number };
  readonly shares: TokenShares;
  readonly owner: () => string;
  overShare(lane: Lane, count: number): void;
  stale(): void;
  readonly deps: Omit<LookupDeps, 'onAnswer'>;
  /** Resolves when the finished lookups are durable. */
  finish(finished: readonly Finished[]): Promise<void>;
}

/**
 * Claims lookups, sends their creates within the budget, follows their tasks and hands in the results.
 * Queues are bounded per lane. The budget bounds the tasks in flight.
 */
export class LookupRunner {
  readonly #o: LookupRunnerOptions;
  /** While the risk API is unavailable, creates wait: otherwise a quarter of an hour's outage would spend the day's budget. */
  readonly #breaker = new CircuitBreaker<ReasonCode>({ firstMs: 1_000, longestMs: 30_000 });
  readonly #queues: LookupQueues;
  readonly #claims: Claims<Lookup>;
  readonly #stop = new AbortController();
  readonly #sendable: Signal;
  readonly #sender: PacedSender;
  readonly #denied = new Set<Lane>();
  /** More lookups were due than the queues could hold. */
  #hasMore = false;
  /** Lookups that end during a save are saved together next. */
  readonly #handIn: (finished: readonly Finished[]) => Promise<unknown>;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: LookupRunnerOptions) {
    this.#o = options;
    this.#handIn = coalesce(async (finished) => {
      await options.finish(finished);
      return [];
    }, saveAtOnce);
    this.#sendable = new Signal(options.clock);
    this.#sender = new PacedSender({
      budget: options.budget,
      clock: options.clock,
      limits: options.limits,
      onStale: () => options.stale(),
    });
    this.#queues = new LookupQueues(options.limits, options.shares);
    const { pool, clock, owner } = options;
    this.#claims = new Claims({
      pool,
      clock,
      owner,
      table: lookups,
      upkeep: () => this.#moveQueued(),
      claim: (session) => this.#claim(session),
      begin: (lookup, replaced) => this.#begin(lookup, replaced),
      onError: (err) => this.#warn(err),
    });
  }

  start(): void {
    const { clock } = this.#o;
    this.#claims.start();
    this.#sending = repeat({ clock, every: lookEveryMs, signal: this.#stop.signal, onError: (err) => this.#warn(err) }, async () => {
      await this.#send();
      return 0;
    });
  }

  notify(): void {
    this.#claims.notify();
  }

  /** The known reason why a lane's lookups cannot be sent. */
  lastError(lane: Lane): ReasonCode | undefined {
    return this.#breaker.lastFailure ?? (this.#denied.has(lane) ? 'BUDGET_EXHAUSTED' : undefined);
  }

  /** Stops sending. The next owner continues running tasks by their stored ids. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
    await this.#claims.stop();
    await this.#o.shares.sync().catch((err: unknown) => this.#o.logger.warn({ err }, 'the last lookups count for no token'));
  }

  #warn(err: unknown): void {
    this.#o.logger.warn({ err }, 'scoring is held up; trying again');
  }

  async #moveQueued(): Promise<void> {
    const { pool, shares } = this.#o;
    await shares.sync();
    for (const [lane, count] of await moveSpent(pool, shares.spent())) this.#o.overShare(lane, count);
    await this.#sortQueues();
  }

  async #claim(owner: string): Promise<Lookup[]> {
    const room = this.#queues.room();
    const claimed = await claim(this.#o.pool, owner, room, this.#o.shares.spent());
    this.#hasMore = lanes.some((of) => claimed.filter(({ lane }) => lane === of).length >= room[of]);
    return claimed;
  }

  /** Moves each queued lookup to the most urgent lane that waits for it. Drops it if another process owns it or a new round has begun. */
  async #sortQueues(): Promise<void> {
    const queued = this.#queues.all();
    if (queued.length === 0) return;
    const present = await lanesOf(this.#o.pool, queued);
    for (const lookup of queued) {
      const now = present.get(lookup.id);
      if (now !== undefined) lookup.token_id = now.token_id;
      // Already in the right lane, or sent meanwhile.
      if (now?.lane === lookup.lane || !this.#queues.remove(lookup)) continue;
      if (now === undefined) {
        this.#claims.drop(lookup);
        continue;
      }
      lookup.lane = now.lane;
      this.#queues.add(lookup);
      this.#sendable.notify();
    }
  }

  #begin(lookup: Lookup, replaced: Lookup | undefined): void {
    // A new round: the running task's answer no longer counts, and a queued create is sent once.
    if (replaced !== undefined) this.#queues.remove(replaced);
    if (lookup.task_id === null) {
      this.#queues.add(lookup);
      this.#sendable.notify();
    } else {
      this.#run(lookup, follow(this.#deps(), lookup, { task_id: lookup.task_id, scanned_ts: null, has_result: true }, this.#stop.signal));
    }
  }

  async #send(): Promise<void> {
    const { clock } = this.#o;
    const none = { withdrawal: 0, deposit: 0, rescreen: 0 };
    const waiting = (): Record<Lane, number> => (this.#breaker.waitMs(clock.monotonic()) === 0 ? this.#queues.sendable() : none);
    const sent = await this.#sender.sendNext(waiting, (lane, arrived) => this.#launch(lane, arrived), this.#stop.signal);
    if (sent.kind === 'sent') {
      this.#denied.delete(sent.lane);
      // The full queue left lookups behind; at half, fetch them.
      if (this.#hasMore && this.#queues.isHalfEmpty(sent.lane)) this.#claims.notify();
      return;
    }
    this.#denied.clear();
    if (sent.kind === 'denied') for (const lane of sent.lanes) this.#denied.add(lane);
    const untilMs = sent.kind === 'denied' ? sent.waitMs : this.#breaker.waitMs(clock.monotonic()) || lookEveryMs;
    await this.#sendable.wait(Math.min(untilMs, lookEveryMs), this.#stop.signal);
  }

  #launch(lane: Lane, arrived: () => void): void {
    // Probe with the lookup that failed least: the subject itself may cause the failures.
    const lookup = this.#queues.take(lane, { leastTried: this.#breaker.isOpen });
    if (lookup === undefined) return;
    this.#charge(lookup);
    this.#breaker.sent();
    this.#run(lookup, create(this.#deps(), lookup, this.#stop.signal, arrived));
  }

  #charge({ token_id }: Lookup): void {
    const { shares } = this.#o;
    if (token_id === null) return;
    const hadSpent = shares.hasSpent(token_id);
    shares.charge(token_id);
    if (hadSpent || !shares.hasSpent(token_id)) return;
    this.#claims.refresh();
  }

  #deps(): LookupDeps {
    return {
      ...this.#o.deps,
      onAnswer: (lookup, meaning) => {
        const wasOpen = this.#breaker.isOpen;
        const { subject } = lookup;
        if (meaning.kind === 'retry')
          this.#breaker.failed(this.#o.clock.monotonic(), { subject, failure: meaning.reason, isCertain: meaning.cause !== 'unknown' });
        else this.#breaker.succeeded();
        if (wasOpen) this.#sendable.notify();
      },
    };
  }

  #run(lookup: Lookup, call: Promise<LookupResult>): void {
    const ended = call
      .then((lookupResult) => this.#land(lookup, lookupResult))
      .catch((err: unknown) => {
        this.#o.logger.warn({ err }, 'a lookup could not be brought to its end; it will be taken up again');
        // An unstorable answer is dropped with its task. Any other error has nothing to do with the lookup, so its task is kept.
        const unstorable = isUnstorable(err);
        return release(this.#o.pool, lookup, { lastError: unstorable ? 'UPSTREAM_UNREADABLE' : null, keepTask: !unstorable }).catch(
          () => undefined,
        );
      });
    void this.#claims.run(lookup, ended);
  }

  async #land(lookup: Lookup, lookupResult: LookupResult): Promise<void> {
    const { pool, budget } = this.#o;
    if (lookupResult.kind === 'done') {
      await this.#handIn([{ lookup, result: lookupResult.result, expiresAt: lookupResult.expiresAt }]);
    } else if (lookupResult.kind === 'limited') {
      await budget.pause(lookupResult.window, lookupResult.retryAfterMs);
      const delayMs = Math.min(lookupResult.retryAfterMs, longestDelayMs);
      await release(pool, lookup, { lastError: 'BUDGET_EXHAUSTED', keepTask: lookupResult.keepTask, delayMs });
    } else if (!this.#stop.signal.aborted) {
      await release(pool, lookup, lookupResult);
    }
    // On stop the row keeps its task: the session ends and the next owner continues.
  }
}

/** Data that no column can hold (SQLSTATE class 22), or that does not fit its schema. */
function isUnstorable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof TypeError || error instanceof RangeError || (typeof code === 'string' && code.startsWith('22'));
}
