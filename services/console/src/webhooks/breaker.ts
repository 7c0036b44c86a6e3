import { backoff } from '@weir/clock';
import type { Attempt } from './send.ts';

/** With so many failed screenings the cause is the receiver, not one message. */
const screeningsInDoubt = 5;
const longestWaitMs = 60_000;
/** Statuses that blame the receiver, not the message. */
const busy: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);

/** The start of an outage in Unix milliseconds, and its first failed event. */
export interface Trouble {
  readonly since: number;
  readonly eventId: string;
}

/**
 * Circuit breaker of the receiver. During an outage it lets one webhook at a time probe, after 1, 2, 4 … 60 seconds or Retry-After. The
 * others wait without spending attempts. Failures that one message may cause count only together with others.
 */
export class Breaker {
  readonly #inDoubt = new Set<string>();
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;
  #trouble: Trouble | undefined;

  /** How many may be sent beside `underWay`, with a limit of `most`. `now` is monotonic. */
  room(now: number, underWay: number, most: number): number {
    if (this.#failures === 0) return Math.max(most - underWay, 0);
    return this.#isProbing || now < this.#openUntil ? 0 : 1;
  }

  /** One is being sent. */
  sent(): void {
    if (this.#failures > 0) this.#isProbing = true;
  }

  /** A success. Returns the outage that it ends, if any. */
  taken(): Trouble | undefined {
    const trouble = this.#failures > 0 ? this.#trouble : undefined;
    this.#inDoubt.clear();
    this.#failures = 0;
    this.#isProbing = false;
    this.#trouble = undefined;
    return trouble;
  }

  /** A failure. Returns whether it starts an outage. `at`: Unix milliseconds. */
  failed(now: number, { status, fault, retryAfterMs }: Attempt, of: { screeningId: string; eventId: string; at: number }): boolean {
    this.#trouble ??= { since: of.at, eventId: of.eventId };
    if (this.#inDoubt.size < screeningsInDoubt) this.#inDoubt.add(of.screeningId);
    const isCertain = fault === 'UNREACHABLE' || fault === 'TLS' || retryAfterMs > 0 || busy.has(status);
    if (!isCertain && this.#failures === 0 && this.#inDoubt.size < screeningsInDoubt) return false;
    // Concurrent attempts fail together and count once.
    const counts = this.#failures === 0 || this.#isProbing;
    const isFirst = this.#failures === 0;
    if (counts) this.#failures += 1;
    this.#isProbing = false;
    const waitMs = Math.max(backoff(this.#failures, { firstMs: 1_000, longestMs: longestWaitMs }), retryAfterMs);
    if (counts || retryAfterMs > 0) this.#openUntil = Math.max(this.#openUntil, now + waitMs);
    return isFirst;
  }

  /** An attempt ended without a result, as on shutdown. */
  untold(): void {
    this.#isProbing = false;
  }
}
