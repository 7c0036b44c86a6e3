import { type Clock, repeat } from '@weir/clock';
import type { Lane, ReasonCode } from '@weir/contracts';
import { Claims, type Pool } from '@weir/postgres';
import { lanes, type RateBudget } from '@weir/rate-budget';
import type { RiskProvider } from '@weir/risk-provider';
import { coalesce, type Logger } from '@weir/service-kit';
import { isTracing } from '@weir/tracing';
import { Channel } from './channel.ts';
import { create, type LookupDeps, follow, type LookupResult } from './run-lookup.ts';
import { LookupQueues } from './lookup-queues.ts';
import { claim, type Finished, lanesOf, type Lookup, lookups, moveSpent, release, saveTask } from './lookups.ts';
import type { TokenShares } from './token-shares.ts';
import { traceLookup } from './trace-lookup.ts';

const lookEveryMs = 1_000;
const saveAtOnce = 200;
const longestDelayMs = 300_000;

export interface LookupRunnerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Asked first, or alone. */
  readonly first: { readonly provider: RiskProvider; readonly budget: RateBudget };
  /** Asked instead once the first has been unavailable for `afterMs`, until it is back. */
  readonly fallback?: { readonly provider: RiskProvider; readonly budget: RateBudget; readonly afterMs: number } | undefined;
  /** Runs the lookups that are asked for comparison. */
  readonly isShadow?: boolean;
  readonly shares: Pick<TokenShares, 'charge' | 'hasSpent' | 'spent' | 'sync'>;
  readonly owner: () => string;
  overShare(lane: Lane, count: number): void;
  stale(): void;
  /** A lookup is sent to the fallback. */
  fellBack?(): void;
  readonly deps: Omit<LookupDeps, 'provider' | 'isFallback' | 'saveTask' | 'onAnswer' | 'onRetry'>;
  /** Resolves when the finished lookups are durable. */
  finish(finished: readonly Finished[]): Promise<void>;
}

export interface Owning {
  ownerOf(lane: Lane, tokenId: string | null): string | null;
  /** Of those inserted with an owner, before the commit. */
  expect(ids: readonly bigint[]): void;
}

/**
 * Claims lookups, sends their creates within the budget, follows their tasks and hands in the results.
 * Queues are bounded per lane. The budget bounds the tasks in flight.
 */
export class LookupRunner {
  readonly #o: LookupRunnerOptions;
  readonly #first: Channel;
  readonly #fallback: Channel | undefined;
  readonly #queues: LookupQueues;
  readonly #claims: Claims<Lookup>;
  readonly #stop = new AbortController();
  /** More lookups were due than the queues could hold. */
  #hasMore = false;
  /** Lookups that end during a save are saved together next. */
  readonly #handIn: (finished: readonly Finished[]) => Promise<unknown>;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(options: LookupRunnerOptions) {
    this.#o = options;
    this.#handIn = coalesce(async (finished) => {
      await options.finish(finished);
      return [];
    }, saveAtOnce);
    const { pool, clock, owner, first, fallback } = options;
    const onStale = (): void => options.stale();
    this.#first = new Channel({ ...first, clock, onStale });
    this.#fallback = fallback === undefined ? undefined : new Channel({ ...fallback, clock, onStale });
    this.#queues = new LookupQueues(first.provider.limits, options.shares);
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
    this.#sending = Promise.all(
      this.#channels().map((channel) =>
        repeat({ clock, every: lookEveryMs, signal: this.#stop.signal, onError: (err) => this.#warn(err) }, async () => {
          await this.#send(channel);
          return 0;
        }),
      ),
    );
  }

  notify(): void {
    this.#claims.notify();
  }

  /**
   * For a transaction that inserts lookups: the owner of one in this lane, for this token, which `begin` begins after the commit. Null: it waits
   * for a claim, behind older ones and where there is no room.
   */
  owning(): Owning {
    // Their claim reads the screenings for the trace.
    if (this.#hasMore || isTracing() || this.#stop.signal.aborted) return { ownerOf: () => null, expect: () => undefined };
    const owner = this.#o.owner();
    const room = this.#queues.room();
    return {
      ownerOf: (lane, tokenId) => {
        if (room[lane] <= this.#claims.expected || (lane !== 'rescreen' && this.#o.shares.hasSpent(tokenId))) return null;
        room[lane] -= 1;
        return owner;
      },
      expect: (ids) => this.#claims.expect(ids),
    };
  }

  begin(opened: readonly Lookup[]): void {
    this.#claims.begin(opened);
  }

  /** The known reason why a lane's lookups cannot be sent. */
  lastError(lane: Lane): ReasonCode | undefined {
    return this.#first.lastError(lane);
  }

  /** Stops sending. The next owner continues running tasks by their stored ids. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
    await this.#claims.stop();
    await this.#o.shares.sync().catch((err: unknown) => this.#o.logger.warn({ err }, 'the last lookups count for no token'));
  }

  #channels(): Channel[] {
    return this.#fallback === undefined ? [this.#first] : [this.#first, this.#fallback];
  }

  #notifySenders(): void {
    for (const { sendable } of this.#channels()) sendable.notify();
  }

  /** The first provider has been away so long that the fallback answers. */
  #isReplaced(): boolean {
    const { fallback } = this.#o;
    return fallback !== undefined && this.#first.awayMs > fallback.afterMs;
  }

  /** Milliseconds until this channel may send. */
  #waitMs(channel: Channel): number {
    // The next lookup probes the first provider, else nobody would see that it is back.
    const isIdle = channel === this.#fallback && (!this.#isReplaced() || this.#first.waitMs() === 0);
    return isIdle ? lookEveryMs : channel.waitMs();
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
    const { pool, shares, isShadow = false } = this.#o;
    const claimed = await claim(pool, { owner, isShadow, room, spent: shares.spent() });
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
      this.#notifySenders();
    }
  }

  #begin(lookup: Lookup, replaced: Lookup | undefined): void {
    // A new round: the running task's answer no longer counts, and a queued create is sent once.
    if (replaced !== undefined) this.#queues.remove(replaced);
    const asked = lookup.is_fallback_task ? this.#fallback : this.#first;
    if (lookup.task_id === null || asked === undefined) {
      this.#queues.add(lookup);
      this.#notifySenders();
    } else {
      const task = { task_id: lookup.task_id, scanned_ts: null, has_result: true };
      this.#run(
        asked,
        lookup,
        traceLookup(lookup, () => follow(this.#deps(asked), lookup, task, this.#stop.signal)),
      );
    }
  }

  async #send(channel: Channel): Promise<void> {
    const none = { withdrawal: 0, deposit: 0, rescreen: 0 };
    const waiting = (): Record<Lane, number> => (this.#waitMs(channel) === 0 ? this.#queues.sendable() : none);
    const hasWork = (lane: Lane): boolean => this.#waitMs(channel) === 0 && this.#queues.hasSendable(lane);
    const launch = (lane: Lane, arrived: () => void): void => this.#launch(channel, lane, arrived);
    const sent = await channel.sender.sendNext(waiting, launch, this.#stop.signal, hasWork);
    if (sent.kind === 'sent') {
      channel.denied.delete(sent.lane);
      // The full queue left lookups behind; at half, fetch them.
      if (this.#hasMore && this.#queues.isHalfEmpty(sent.lane)) this.#claims.notify();
      return;
    }
    channel.denied.clear();
    if (sent.kind === 'denied') for (const lane of sent.lanes) channel.denied.add(lane);
    const untilMs = sent.kind === 'denied' ? sent.waitMs : this.#waitMs(channel) || lookEveryMs;
    await channel.sendable.wait(Math.min(untilMs, lookEveryMs), this.#stop.signal);
  }

  #launch(channel: Channel, lane: Lane, arrived: () => void): void {
    // Probe with the lookup that failed least: the subject itself may cause the failures.
    const lookup = this.#queues.take(lane, { leastTried: channel.breaker.isOpen });
    if (lookup === undefined) return;
    this.#charge(lookup);
    if (channel === this.#fallback) this.#o.fellBack?.();
    channel.breaker.sent();
    if (channel === this.#first) this.#fallback?.sendable.notify();
    this.#run(
      channel,
      lookup,
      traceLookup(lookup, () => create(this.#deps(channel), lookup, this.#stop.signal, arrived)),
    );
  }

  #charge({ token_id }: Lookup): void {
    const { shares } = this.#o;
    if (token_id === null) return;
    const hadSpent = shares.hasSpent(token_id);
    shares.charge(token_id);
    if (hadSpent || !shares.hasSpent(token_id)) return;
    this.#claims.refresh();
  }

  #deps(channel: Channel): LookupDeps {
    const isFallback = channel === this.#fallback;
    return {
      ...this.#o.deps,
      provider: channel.provider,
      isFallback,
      saveTask: (lookup, taskId) => saveTask(this.#o.pool, lookup, taskId, { isFallback }),
      onRetry: (lookup, meaning) => {
        // Without a fallback only creates say whether the API is available.
        if (this.#fallback === undefined || meaning.kind !== 'retry' || meaning.cause === 'unknown') return undefined;
        channel.failed(lookup.subject, meaning.reason, { isCertain: true });
        return channel === this.#first && this.#isReplaced() ? 'stop' : undefined;
      },
      onAnswer: (lookup, meaning) => {
        const wasOpen = channel.breaker.isOpen;
        if (meaning.kind === 'retry') channel.failed(lookup.subject, meaning.reason, { isCertain: meaning.cause !== 'unknown' });
        else channel.succeeded();
        if (wasOpen) this.#notifySenders();
      },
    };
  }

  #run(channel: Channel, lookup: Lookup, call: Promise<LookupResult>): void {
    const ended = call
      .then((lookupResult) => this.#land(channel, lookup, lookupResult))
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

  async #land(channel: Channel, lookup: Lookup, lookupResult: LookupResult): Promise<void> {
    const { pool } = this.#o;
    if (lookupResult.kind === 'done') {
      await this.#handIn([{ lookup, result: lookupResult.result, expiresAt: lookupResult.expiresAt }]);
    } else if (lookupResult.kind === 'limited') {
      await channel.budget.pause(lookupResult.window, lookupResult.retryAfterMs);
      const delayMs = Math.min(lookupResult.retryAfterMs, longestDelayMs);
      await release(pool, lookup, { lastError: 'BUDGET_EXHAUSTED', keepTask: lookupResult.keepTask, delayMs });
    } else if (!this.#stop.signal.aborted) {
      // A lookup that has probed the first provider in vain must not probe again when its turn comes.
      const goesOn = channel === this.#first && this.#isReplaced() && !lookupResult.keepTask;
      await release(pool, lookup, goesOn ? { ...lookupResult, delayMs: 0 } : lookupResult);
      if (goesOn) this.#claims.notify();
    }
    // On stop the row keeps its task: the session ends and the next owner continues.
  }
}

/** Data that no column can hold (SQLSTATE class 22), or that does not fit its schema. */
function isUnstorable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof TypeError || error instanceof RangeError || (typeof code === 'string' && code.startsWith('22'));
}
