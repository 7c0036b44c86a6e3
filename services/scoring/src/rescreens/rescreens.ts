import { backoff, type Clock, repeat } from '@weir/clock';
import type { ScreeningRequested } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import type { RiskProvider } from '@weir/risk-provider';
import type { Logger, Outbox, StoredEvent } from '@weir/service-kit';
import { askAgain } from './ask-again.ts';
import { noteChanges } from './changes.ts';
import { holdFeed, releaseFeed, setFeed } from './feed.ts';

const pageSize = 500;
/** An API without a feed may be replaced by one that has it. */
const absentMs = 3_600_000;
const longestPollMs = 60_000;
/**
 * Re-screenings share the topics of new transfers, which carry many times this rate: a hot wallet's million takes an hour and a half and
 * delays no transfer.
 */
const perSecond = 200;

export interface RescreensOptions {
  readonly pool: Pool;
  readonly outbox: Outbox;
  readonly provider: RiskProvider;
  readonly clock: Clock;
  readonly logger: Logger;
  /** See `feedName`. */
  readonly feed: string;
  readonly pollMs: number;
  /** Older screenings are left alone. */
  readonly maxAgeMs: number;
  owner(): string;
  asked(requests: readonly ScreeningRequested[]): void;
  /** The events are stored already; a failed publication is retried later. */
  publish(events: readonly StoredEvent[]): Promise<void>;
}

/** Follows the score changes of the risk API and re-screens the affected screenings. One replica is active, the others stand by. */
export class Rescreens {
  readonly #o: RescreensOptions;
  readonly #stop = new AbortController();
  /** Monotonic. */
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

  /** Returns the delay until the next step, in ms. */
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

  /** Reads one page. Returns the delay until the next one, in ms. */
  async #poll(cursor: string | null): Promise<number> {
    const { pool, provider, feed, pollMs, logger } = this.#o;
    const answer = await provider.changes(cursor === null ? {} : { after: cursor, limit: pageSize }, this.#stop.signal);
    if (this.#stop.signal.aborted) return pollMs;
    this.#failures = answer.kind === 'changes' ? 0 : this.#failures + 1;
    switch (answer.kind) {
      case 'changes': {
        // Changes before the feed began concern no screening here.
        const changes = cursor === null ? [] : answer.items;
        await noteChanges(pool, { feed, after: cursor, changes, next_cursor: answer.next_cursor, isLast: !answer.more });
        return answer.more ? 0 : pollMs;
      }
      case 'not_found':
        // The feed existed before: the API has an outage.
        if (cursor !== null) return this.#backOffMs();
        await setFeed(pool, feed, { isAbsent: true, cursor: null });
        if (!this.#isSaid) logger.info('the risk API lists no changed scores: nothing is screened again automatically');
        this.#isSaid = true;
        return absentMs;
      case 'invalid':
        if (cursor === null) return this.#backOffMs();
        // The cursor would be refused for ever, and every later change missed.
        logger.error('the risk API does not know how far its changed scores were read; what changed since is not screened again');
        await setFeed(pool, feed, { isAbsent: false, cursor: null });
        return 0;
      case 'limited':
        return Math.max(Math.min(answer.retryAfterMs, longestPollMs), pollMs);
      case 'unavailable':
        // Transfers are screened as soon as the API is back, but changes before the feed begins are lost: poll fast.
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
