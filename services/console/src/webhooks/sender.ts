import { CircuitBreaker, type Clock, within } from '@weir/clock';
import { Claims, type Pool } from '@weir/postgres';
import type { Logger } from '@weir/service-kit';
import type { ConsoleMetrics } from '../metrics.ts';
import type { Endpoint } from './config.ts';
import { claim, type ClaimedDelivery, deliveries, hasten, noteDelivered, noteFailed, release, type Outage } from './deliveries.ts';
import { isGone, noteGone } from './gone.ts';
import { nextDelayMs } from './schedule.ts';
import { type Attempt, blamesReceiver, send } from './send.ts';

/** Time for deliveries in progress at shutdown; the next process retries the rest. */
const graceMs = 5_000;

export interface SenderOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ConsoleMetrics;
  readonly endpoint: Endpoint;
  /** Maximum of concurrent deliveries. */
  readonly concurrency: number;
  /** Our session's name. */
  readonly owner: () => string;
}

/** Claims due deliveries, sends them and stores the results. The queue is the table alone. */
export class Sender {
  readonly #o: SenderOptions;
  /** During an outage one webhook at a time probes the receiver. The others wait without spending attempts. */
  readonly #breaker = new CircuitBreaker<Outage>({ firstMs: 1_000, longestMs: 60_000 });
  readonly #claims: Claims<ClaimedDelivery>;
  /** Aborts deliveries in progress. */
  readonly #cut = new AbortController();
  #isGone = false;

  constructor(options: SenderOptions) {
    this.#o = options;
    const { pool, clock, logger, endpoint, owner } = options;
    this.#claims = new Claims({
      pool,
      clock,
      owner,
      table: deliveries,
      upkeep: async () => {
        this.#isGone = await isGone(pool, endpoint.url);
      },
      claim: async (session) => {
        const room = this.#room();
        return room === 0 ? [] : claim(pool, session, room, clock.now());
      },
      begin: (claimed) => this.#begin(claimed),
      onError: (err, claimed) =>
        logger.warn(
          { err },
          claimed === undefined ? 'webhooks are held up; trying again' : 'the outcome of a webhook could not be stored; it is sent again',
        ),
    });
  }

  /** The receiver answered 410, so deliveries stop. */
  get isGone(): boolean {
    return this.#isGone;
  }

  start(): void {
    this.#claims.start();
  }

  /** Wakes the loop early. */
  notify(): void {
    this.#claims.notify();
  }

  async stop(): Promise<void> {
    const stopped = this.#claims.stop();
    await within(this.#o.clock, graceMs, stopped, { late: () => undefined });
    this.#cut.abort('stopped');
    await stopped;
  }

  #room(): number {
    if (this.#isGone || this.#breaker.waitMs(this.#o.clock.monotonic()) > 0) return 0;
    return this.#breaker.isOpen ? 1 : Math.max(this.#o.concurrency - this.#claims.running, 0);
  }

  #begin(claimed: ClaimedDelivery): void {
    this.#breaker.sent();
    void this.#claims.run(claimed, this.#deliver(claimed)).then(() => this.notify());
  }

  async #deliver(claimed: ClaimedDelivery): Promise<void> {
    const { pool, clock, endpoint, metrics } = this.#o;
    const attempt = await send(endpoint, clock, claimed, this.#cut.signal);
    const now = clock.now();
    if (attempt.fault === null) {
      const outage = this.#breaker.succeeded();
      await noteDelivered(pool, claimed, attempt, now);
      metrics.webhookDeliveries.inc({ result: 'delivered' });
      if (outage === undefined) return;
      this.#o.logger.info('the receiver of webhooks is back');
      return hasten(pool, outage, now);
    }
    if (this.#cut.signal.aborted) {
      this.#breaker.unknown();
      return release(pool, claimed);
    }
    return this.#fail(claimed, attempt, now);
  }

  async #fail(claimed: ClaimedDelivery, attempt: Attempt, now: number): Promise<void> {
    const { pool, clock, endpoint, logger, metrics } = this.#o;
    const { id: eventId, screeningId, revision, attempts } = claimed;
    const { status, error, retryAfterMs } = attempt;
    const delay = nextDelayMs(endpoint.delaysMs, attempts + 1, eventId);
    const fields = { event_id: eventId, screening_id: screeningId, revision, status, error, host: endpoint.url.host };
    const failed = { subject: screeningId, failure: { since: now, eventId }, isCertain: blamesReceiver(attempt), retryAfterMs };
    if (this.#breaker.failed(clock.monotonic(), failed))
      logger.warn(fields, 'the receiver of webhooks is unavailable; one delivery at a time probes it');
    if (attempt.fault === 'GONE') {
      this.#isGone = true;
      logger.error(fields, 'the receiver of webhooks says 410 Gone; nothing more is sent to it until a delivery is retried by a person');
      await noteGone(pool, endpoint.url, now);
    }
    await noteFailed(pool, claimed, attempt, { now, delayMs: delay === undefined ? undefined : Math.max(delay, retryAfterMs) });
    metrics.webhookDeliveries.inc({ result: delay === undefined ? 'given_up' : 'repeated' });
    if (delay === undefined) logger.error(fields, 'a webhook is given up');
    else logger.info(fields, 'a webhook was not taken; it is repeated');
  }
}
