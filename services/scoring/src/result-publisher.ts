import type { Clock } from '@weir/clock';
import type { Lane, ReasonCode, ScreeningRequested } from '@weir/contracts';
import type { Logger, StoredEvent } from '@weir/service-kit';
import { admit } from './admit.ts';
import { askCounterparties } from './ask-counterparties.ts';
import { complete } from './complete.ts';
import { expire } from './expire.ts';
import type { Finished } from './lookups.ts';
import type { ScoringMetrics } from './metrics.ts';
import type { ReuseSettings } from './reuse.ts';
import type { Scoring } from './scored-event.ts';
import type { ScoredDeps } from './store-scored.ts';

const expireAtOnce = 500;

export interface ResultPublisherOptions {
  readonly deps: ScoredDeps;
  readonly reuse: ReuseSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ScoringMetrics;
  /** Called when lookups may have been added. */
  wake(): void;
}

/** Stores, counts and publishes the results of screenings: answered at once, by a finished lookup, or by the deadline. */
export class ResultPublisher {
  readonly #o: ResultPublisherOptions;

  constructor(options: ResultPublisherOptions) {
    this.#o = options;
  }

  /** Resolves when the results that are known are published; rejects otherwise, and the requests are admitted again. */
  async admit(requests: readonly ScreeningRequested[]): Promise<void> {
    const { deps, reuse, clock, logger, metrics } = this.#o;
    const admitted = await admit({ ...deps, reuse }, requests, clock.now());
    for (const [{ screening_id }, listings] of admitted.listed)
      logger.info(
        { screening_id, sources: [...new Set(listings.map(({ source }) => source))] },
        'a local sanctions list names its counterparty',
      );
    metrics.singleFlight.inc({ result: 'hit' }, admitted.hits);
    metrics.singleFlight.inc({ result: 'joined' }, admitted.joined);
    metrics.singleFlight.inc({ result: 'miss' }, admitted.misses);
    this.#count(admitted.fresh);
    this.#o.wake();
    await deps.outbox.publish(admitted.events);
  }

  /** Resolves when the finished lookups are durable. */
  async finish(finished: readonly Finished[]): Promise<void> {
    const { deps, reuse, clock } = this.#o;
    for (let open = finished; open.length > 0; ) {
      const asked = await askCounterparties(deps, reuse, open, clock.now());
      this.#count(asked.scorings);
      this.#o.wake();
      await this.publish(asked.events);
      const { events, scorings, unfinished } = await complete(deps, open, clock.now());
      this.#count(scorings);
      await this.publish(events);
      open = unfinished;
    }
  }

  /** Of screenings past their deadline. */
  async expire(lastError: (lane: Lane) => ReasonCode | undefined): Promise<void> {
    const { deps, clock } = this.#o;
    for (let found = expireAtOnce; found === expireAtOnce; ) {
      const { events, scorings } = await expire(deps, { now: clock.now(), limit: expireAtOnce, lastError });
      found = scorings.length;
      this.#count(scorings);
      await this.publish(events);
    }
  }

  /** The events are stored: the outbox sweep publishes the rest later. */
  async publish(events: readonly StoredEvent[]): Promise<void> {
    const { deps, logger } = this.#o;
    await deps.outbox.publish(events).catch((err: unknown) => logger.warn({ err }, 'stored; it will be published later'));
  }

  #count(scorings: readonly Scoring[]): void {
    for (const { request, result } of scorings) this.#o.metrics.screenings.inc({ kind: request.kind, outcome: result.outcome });
  }
}
