import { backoff } from '@weir/clock';
import type { Attempt } from './send.ts';

/** So many screenings that nobody took between them are no accident of one of them. */
const screeningsInDoubt = 5;
const longestWaitMs = 60_000;
/** The receiver's trouble and not the message's. */
const busy: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);

/** Since when nothing was taken, in Unix milliseconds, and of which event that was first seen. */
export interface Trouble {
  readonly since: number;
  readonly eventId: string;
}

/**
 * While the receiver is away one webhook at a time asks whether it is back, after 1, 2, 4 … 60 seconds, or when it said; the others wait and
 * their attempts are not spent. What may be one message's own fault counts only together with others.
 */
export class Breaker {
  readonly #inDoubt = new Set<string>();
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;
  #trouble: Trouble | undefined;

  /** How many may be sent beside `underWay`, `most` at once; `now` is of a clock that never goes back. */
  room(now: number, underWay: number, most: number): number {
    if (this.#failures === 0) return Math.max(most - underWay, 0);
    return this.#isProbing || now < this.#openUntil ? 0 : 1;
  }

  /** One is being sent. */
  sent(): void {
    if (this.#failures > 0) this.#isProbing = true;
  }

  /** One was taken. Returns the trouble that ends with it, if the receiver counted as away. */
  taken(): Trouble | undefined {
    const trouble = this.#failures > 0 ? this.#trouble : undefined;
    this.#inDoubt.clear();
    this.#failures = 0;
    this.#isProbing = false;
    this.#trouble = undefined;
    return trouble;
  }

  /** One was not taken. Returns whether that is when the receiver began to count as away. `at`: Unix milliseconds. */
  failed(now: number, { status, fault, retryAfterMs }: Attempt, of: { screeningId: string; eventId: string; at: number }): boolean {
    this.#trouble ??= { since: of.at, eventId: of.eventId };
    if (this.#inDoubt.size < screeningsInDoubt) this.#inDoubt.add(of.screeningId);
    const isCertain = fault === 'UNREACHABLE' || fault === 'TLS' || retryAfterMs > 0 || busy.has(status);
    if (!isCertain && this.#failures === 0 && this.#inDoubt.size < screeningsInDoubt) return false;
    // Those that were on their way together fail together and count once.
    const counts = this.#failures === 0 || this.#isProbing;
    const isFirst = this.#failures === 0;
    if (counts) this.#failures += 1;
    this.#isProbing = false;
    const waitMs = Math.max(backoff(this.#failures, { firstMs: 1_000, longestMs: longestWaitMs }), retryAfterMs);
    if (counts || retryAfterMs > 0) this.#openUntil = Math.max(this.#openUntil, now + waitMs);
    return isFirst;
  }

  /** One ended without telling anything, as when this process stops. */
  untold(): void {
    this.#isProbing = false;
  }
}
