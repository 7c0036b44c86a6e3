import { CircuitBreaker, type Clock, repeat, Signal, within } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { Logger, Metrics } from '@weir/service-kit';
import type { Endpoint } from './config.ts';
import { type Claimed, claim, freeAbandoned, hasten, noteDelivered, noteFailed, release, type Trouble } from './deliveries.ts';
import { isGone, noteGone } from './gone.ts';
import { nextDelayMs } from './schedule.ts';
import { type Attempt, blamesReceiver, send } from './send.ts';

/** Interval of the search for other replicas' deliveries and due retries. */
const lookEveryMs = 1_000;
/** Time for deliveries in progress at shutdown; the next process retries the rest. */
const graceMs = 5_000;

export interface SenderOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly endpoint: Endpoint;
  /** Maximum of concurrent deliveries. */
  readonly concurrency: number;
  /** Our session's name. */
  owner(): string;
}

/** Claims due deliveries, sends them and stores the results. The queue is the table alone. */
export class Sender {
  readonly #o: SenderOptions;
  /** During an outage one webhook at a time probes the receiver. The others wait without spending attempts. */
  readonly #breaker = new CircuitBreaker<Trouble>({ firstMs: 1_000, longestMs: 60_000 });
  /** Deliveries in progress in this process, by event. */
  readonly #mine = new Map<string, Claimed>();
  readonly #flying = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** Aborts deliveries in progress. */
  readonly #cut = new AbortController();
  readonly #poked: Signal;
  #isGone = false;
  /** Monotonic. */
  #lookAt = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: SenderOptions) {
    this.#o = options;
    this.#poked = new Signal(options.clock);
  }

  /** The receiver answered 410, so deliveries stop. */
  get isGone(): boolean {
    return this.#isGone;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Wakes the loop early. */
  poke(): void {
    this.#poked.notify();
  }

  async stop(): Promise<void> {
    this.#stop.abort('stopped');
    await this.#loop;
    const all = Promise.all(this.#flying);
    await within(this.#o.clock, graceMs, all, { late: () => undefined });
    this.#cut.abort('stopped');
    await all;
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#o;
    const onError = (err: unknown): void => logger.warn({ err }, 'webhooks are held up; trying again');
    await repeat({ clock, every: lookEveryMs, signal: this.#stop.signal, onError, wakeup: this.#poked }, () => this.#look());
  }

  async #look(): Promise<void> {
    const { pool, clock, endpoint } = this.#o;
    if (clock.monotonic() >= this.#lookAt) {
      await freeAbandoned(pool, this.#o.owner(), [...this.#mine.keys()]);
      this.#isGone = await isGone(pool, endpoint.url);
      this.#lookAt = clock.monotonic() + lookEveryMs;
    }
    const room = this.#room();
    if (room === 0) return;
    for (const claimed of await claim(pool, this.#o.owner(), room, clock.now())) this.#take(claimed);
  }

  #room(): number {
    if (this.#isGone || this.#breaker.waitMs(this.#o.clock.monotonic()) > 0) return 0;
    return this.#breaker.isOpen ? 1 : Math.max(this.#o.concurrency - this.#flying.size, 0);
  }

  /** A known delivery returns after a lost session: it continues under the new session. */
  #take(claimed: Claimed): void {
    const known = this.#mine.get(claimed.eventId);
    if (known !== undefined) {
      known.owner = claimed.owner;
      return;
    }
    this.#mine.set(claimed.eventId, claimed);
    this.#breaker.sent();
    const flight = this.#deliver(claimed)
      .catch((err: unknown) => this.#o.logger.warn({ err }, 'what came of a webhook could not be noted; it is sent again'))
      .finally(() => {
        this.#mine.delete(claimed.eventId);
        this.#flying.delete(flight);
        this.poke();
      });
    this.#flying.add(flight);
  }

  async #deliver(claimed: Claimed): Promise<void> {
    const { pool, clock, endpoint, metrics } = this.#o;
    const attempt = await send(endpoint, clock, { id: claimed.eventId, body: claimed.body }, this.#cut.signal);
    const now = clock.now();
    if (attempt.fault === null) {
      const trouble = this.#breaker.succeeded();
      await noteDelivered(pool, claimed, attempt, now);
      metrics.webhookDeliveries.inc({ result: 'delivered' });
      if (trouble === undefined) return;
      this.#o.logger.info('the receiver of webhooks is back');
      return hasten(pool, trouble, now);
    }
    if (this.#cut.signal.aborted) {
      this.#breaker.unknown();
      return release(pool, claimed.eventId, claimed.owner);
    }
    return this.#fail(claimed, attempt, now);
  }

  async #fail(claimed: Claimed, attempt: Attempt, now: number): Promise<void> {
    const { pool, clock, endpoint, logger, metrics } = this.#o;
    const { eventId, screeningId, revision, attempts } = claimed;
    const { status, error, retryAfterMs } = attempt;
    const delay = nextDelayMs(endpoint.delaysMs, attempts + 1, eventId);
    const told = { event_id: eventId, screening_id: screeningId, revision, status, error, host: endpoint.url.host };
    const failed = { subject: screeningId, failure: { since: now, eventId }, isCertain: blamesReceiver(attempt), retryAfterMs };
    if (this.#breaker.failed(clock.monotonic(), failed))
      logger.warn(told, 'the receiver of webhooks is away; one at a time asks whether it is back');
    if (attempt.fault === 'GONE') {
      this.#isGone = true;
      logger.error(told, 'the receiver of webhooks says 410 Gone; nothing more is sent to it until a delivery is retried by a person');
      await noteGone(pool, endpoint.url, now);
    }
    await noteFailed(pool, claimed, attempt, { now, delayMs: delay === undefined ? undefined : Math.max(delay, retryAfterMs) });
    metrics.webhookDeliveries.inc({ result: delay === undefined ? 'given_up' : 'repeated' });
    if (delay === undefined) logger.error(told, 'a webhook is given up');
    else logger.info(told, 'a webhook was not taken; it is repeated');
  }
}
