import type { Clock } from '@weir/clock';
import type { Lane, ReasonCode, ScreeningRequested } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import type { Batch, Logger, Ran, Step, StoredEvent } from '@weir/service-kit';
import { type Admitted, admit } from './admit.ts';
import { askCounterparties } from './ask-counterparties.ts';
import { complete } from './complete.ts';
import { expire } from './expire.ts';
import type { Owning } from './lookup-runner.ts';
import type { Finished, Lookup } from './lookups.ts';
import type { ScoringMetrics } from './metrics.ts';
import type { ReuseSettings } from './reuse.ts';
import type { Scoring } from './scored-event.ts';
import type { ScoredDeps, ScoredStep } from './scored-step.ts';
import { isUnknownTransaction } from './unknown-transaction.ts';

const expireAtOnce = 500;

export interface ResultPublisherOptions {
  readonly deps: ScoredDeps & { readonly reuse: ReuseSettings };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ScoringMetrics;
  /** Runs a step, and carries what it says on. */
  run<S extends Step>(first: (tx: Queryable, batch: Batch) => Promise<S>): Promise<Ran<S>>;
  /** Called when lookups may have been added that nobody owns. */
  wake(): void;
  owning(): Owning;
  /** Called with lookups that were inserted with an owner. */
  begin(opened: readonly Lookup[]): void;
  /** Called when lookups have been completed. */
  completed?(): void;
}

/** Stores, counts and publishes the results of screenings: answered at once, by a finished lookup, or by the deadline. */
export class ResultPublisher {
  readonly #o: ResultPublisherOptions;
  #publishing: Promise<void> = Promise.resolve();

  constructor(options: ResultPublisherOptions) {
    this.#o = options;
  }

  /** The step of the stage. */
  async admit(tx: Queryable, requests: readonly ScreeningRequested[], batch: Batch): Promise<Step> {
    const admitted = await admit(tx, this.#o.deps, requests, { now: this.#o.clock.now(), batch, own: this.#o.owning() });
    return { ...admitted, committed: () => this.#admitted(admitted) };
  }

  #admitted({ listed, hits, joined, misses, opened, fresh }: Admitted): void {
    const { logger, metrics } = this.#o;
    if (opened.length > 0) this.#o.begin(opened);
    for (const [{ screening_id }, listings] of listed)
      logger.info(
        { screening_id, sources: [...new Set(listings.map(({ source }) => source))] },
        'a local sanctions list names its counterparty',
      );
    metrics.singleFlight.inc({ result: 'hit' }, hits);
    metrics.singleFlight.inc({ result: 'joined' }, joined);
    metrics.singleFlight.inc({ result: 'miss' }, misses);
    this.#count(fresh);
    // Known answers add no lookup.
    if (misses + joined > opened.length) this.#o.wake();
  }

  /** Resolves when the finished lookups are durable. */
  async finish(finished: readonly Finished[]): Promise<void> {
    const { deps, clock } = this.#o;
    for (let open = finished; open.length > 0; ) {
      const these = open;
      if (these.some(isUnknownTransaction)) {
        await this.#run((tx, batch) => askCounterparties(tx, deps, these, { now: clock.now(), batch }));
        this.#o.wake();
      }
      open = (await this.#run((tx, batch) => complete(tx, deps, these, { now: clock.now(), batch }))).unfinished;
      this.#o.completed?.();
    }
  }

  /** Of screenings past their deadline. */
  async expire(lastError: (lane: Lane) => ReasonCode | undefined): Promise<void> {
    const { deps, clock } = this.#o;
    for (let found = expireAtOnce; found === expireAtOnce; ) {
      const { scorings } = await this.#run((tx, batch) => expire(tx, deps, { now: clock.now(), limit: expireAtOnce, batch, lastError }));
      found = scorings.length;
    }
  }

  /** The events are stored: the outbox sweep publishes the rest later. */
  async publish(events: readonly StoredEvent[]): Promise<void> {
    await this.#untilPublished(this.#o.deps.outbox.publish(events));
  }

  async #run<S extends ScoredStep>(step: (tx: Queryable, batch: Batch) => Promise<S>): Promise<S> {
    const { first, published } = await this.#o.run(step);
    this.#count(first.scorings);
    // A batch is published beside the transaction of the next one, and no third is begun meanwhile.
    const before = this.#publishing;
    this.#publishing = this.#untilPublished(published);
    await before;
    return first;
  }

  /** Resolves when no batch is being published. */
  async settled(): Promise<void> {
    await this.#publishing;
  }

  async #untilPublished(published: Promise<void>): Promise<void> {
    await published.catch((err: unknown) => this.#o.logger.warn({ err }, 'stored; it will be published later'));
  }

  #count(scorings: readonly Scoring[]): void {
    for (const { request, result } of scorings) this.#o.metrics.screenings.inc({ kind: request.kind, outcome: result.outcome });
  }
}
