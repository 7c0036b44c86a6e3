import { backoff, type Clock, repeat } from '@weir/clock';
import type { ScreeningRequested } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import type { RiskClient } from '@weir/risk-client';
import type { Logger, Outbox, StoredEvent } from '@weir/service-kit';
import { askAgain } from './ask-again.ts';
import { noteChanges } from './changes.ts';
import { holdFeed, releaseFeed, setFeed } from './feed.ts';

/** Changes that are taken in together. */
const pageSize = 500;
/** An API without a feed may be replaced by one that has it. */
const absentMs = 3_600_000;
const longestPollMs = 60_000;
/**
 * Re-screenings that are asked for in a second at most. They go through the topics that new transfers go through, which carry many times as much: a hot
 * wallet's million takes an hour and a half, and nobody waits behind it.
 */
const perSecond = 200;

export interface RescreensOptions {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly client: RiskClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See `feedName`. */
  readonly feed: string;
  readonly pollMs: number;
  /** Screenings requested longer ago are left alone. */
  readonly maxAgeMs: number;
  owner(): string;
  /** Told of what was asked for again. */
  asked(requests: readonly ScreeningRequested[]): void;
  /** What is given here is stored; what cannot be published now is published later. */
  publish(events: readonly StoredEvent[]): Promise<void>;
}

/** Follows the changed scores of the risk API, and asks for the screenings that they may concern once more. One replica does, the others stand by. */
export class Rescreens {
  readonly #o: RescreensOptions;
  readonly #stop = new AbortController();
  /** On the clock that never goes back. */
  #pollAt = 0;
  #failures = 0;
  #isSaid = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: RescreensOptions) {
    this.#o = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await releaseFeed(this.#o.pool, this.#o.feed, this.#o.owner()).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { clock, logger, pollMs } = this.#o;
    const onError = (err: unknown): void => logger.warn({ err }, 'changed scores could not be dealt with; trying again');
    await repeat({ clock, every: pollMs, signal: this.#stop.signal, onError }, () => this.#step());
  }

  /** Returns how long to wait for the next. */
  async #step(): Promise<number> {
    const { pool, outbox, clock, pollMs, maxAgeMs } = this.#o;
    const held = await holdFeed(pool, this.#o.feed, this.#o.owner());
    if (held === undefined) return pollMs;
    if (clock.monotonic() >= this.#pollAt) this.#pollAt = clock.monotonic() + (await this.#poll(held.cursor));
    const { events, requests, isDone } = await askAgain(pool, outbox, { now: clock.now(), sinceMs: clock.now() - maxAgeMs });
    this.#o.asked(requests);
    await this.#o.publish(events);
    const untilPollMs = Math.max(this.#pollAt - clock.monotonic(), 0);
    return isDone ? Math.min(untilPollMs, pollMs) : (requests.length * 1_000) / perSecond;
  }

  /** Reads one page. Returns when the next one is due, in milliseconds. */
  async #poll(cursor: string | null): Promise<number> {
    const { pool, client, feed, pollMs, logger } = this.#o;
    const answer = await client.scoreChanges(cursor === null ? {} : { after: cursor, limit: pageSize }, this.#stop.signal);
    if (this.#stop.signal.aborted) return pollMs;
    this.#failures = answer.kind === 'changes' ? 0 : this.#failures + 1;
    switch (answer.kind) {
      case 'changes': {
        // What changed before it was begun was not told to us.
        const changes = cursor === null ? [] : answer.items;
        await noteChanges(pool, { feed, after: cursor, changes, nextCursor: answer.nextCursor, isLast: !answer.more });
        return answer.more ? 0 : pollMs;
      }
      case 'not_found':
        // One that was there is away.
        if (cursor !== null) return this.#backOffMs();
        await setFeed(pool, feed, { isAbsent: true, cursor: null });
        if (!this.#isSaid) logger.info('the risk API does not tell of changed scores: nothing is screened again by itself');
        this.#isSaid = true;
        return absentMs;
      case 'invalid':
        if (cursor === null) return this.#backOffMs();
        // It would be refused for ever, and everything that comes later would be missed.
        logger.error('the risk API does not know how far its changed scores were read; what changed since is not screened again');
        await setFeed(pool, feed, { isAbsent: false, cursor: null });
        return 0;
      case 'limited':
        return Math.max(Math.min(answer.retryAfterMs, longestPollMs), pollMs);
      case 'unavailable':
        // Transfers are screened as soon as it is back, and what changes before the feed is begun is told to nobody.
        return cursor === null ? pollMs : this.#backOffMs();
      case 'rejected':
      case 'unsupported':
        return this.#backOffMs();
    }
  }

  #backOffMs(): number {
    return Math.max(backoff(this.#failures + 1, { firstMs: this.#o.pollMs, longestMs: longestPollMs }), this.#o.pollMs);
  }
}
