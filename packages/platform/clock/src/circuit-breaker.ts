import { type BackoffOptions, backoff } from './backoff.ts';

/** So many failing subjects without one success between them blame the remote side, not a subject. */
const subjectsInDoubt = 5;

interface Failed<Failure> {
  /** Its cause may be the subject itself, such as one message that the receiver chokes on. */
  readonly subject: string;
  readonly failure: Failure;
  /** Only the remote side can be at fault, as when the connection is refused. */
  readonly isCertain: boolean;
  /** The remote side's own wish, such as Retry-After. */
  readonly retryAfterMs?: number;
}

/**
 * Circuit breaker of one remote side. While it is open, one probe at a time goes out, after pauses that double. Failures that a subject may
 * cause count only together with others: one bad subject must not stop the rest. All times are monotonic.
 */
export class CircuitBreaker<Failure> {
  readonly #pause: BackoffOptions;
  readonly #inDoubt = new Set<string>();
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;
  #first: Failure | undefined;
  #last: Failure | undefined;

  constructor(pause: BackoffOptions) {
    this.#pause = pause;
  }

  /** The latest failure that counted; undefined while the breaker is closed. */
  get lastFailure(): Failure | undefined {
    return this.#last;
  }

  get isOpen(): boolean {
    return this.#failures > 0;
  }

  /** Milliseconds until one may be sent; infinite while a probe is out, since its result decides. */
  waitMs(now: number): number {
    if (!this.isOpen) return 0;
    return this.#isProbing ? Number.POSITIVE_INFINITY : Math.max(this.#openUntil - now, 0);
  }

  sent(): void {
    if (this.isOpen) this.#isProbing = true;
  }

  /** Returns the first failure of the outage that this success ends, if any. */
  succeeded(): Failure | undefined {
    const first = this.isOpen ? this.#first : undefined;
    this.#inDoubt.clear();
    this.#failures = 0;
    this.#isProbing = false;
    this.#first = this.#last = undefined;
    return first;
  }

  /** Returns whether this failure opens the breaker. */
  failed(now: number, { subject, failure, isCertain, retryAfterMs = 0 }: Failed<Failure>): boolean {
    const wasOpen = this.isOpen;
    this.#first ??= failure;
    if (this.#inDoubt.size < subjectsInDoubt) this.#inDoubt.add(subject);
    if (!isCertain && !wasOpen && this.#inDoubt.size < subjectsInDoubt) return false;
    // Concurrent attempts fail together and count once.
    const counts = !wasOpen || this.#isProbing;
    if (counts) {
      this.#failures += 1;
      this.#last = failure;
    }
    this.#isProbing = false;
    const waitMs = Math.max(backoff(this.#failures, this.#pause), retryAfterMs);
    if (counts || retryAfterMs > 0) this.#openUntil = Math.max(this.#openUntil, now + waitMs);
    return !wasOpen;
  }

  /** An attempt ended without a result, as on shutdown. */
  unknown(): void {
    this.#isProbing = false;
  }
}
