import type { ReasonCode } from '@weir/contracts';
import { retryDelayMs } from '@weir/risk-client';

/** So many different subjects without one good answer between them are no accident of one subject. */
const subjectsInDoubt = 5;

/**
 * While the risk API is away one question at a time asks whether it is back, after 1, 2, 4 … 30 seconds; the others wait.
 * Otherwise an outage of a quarter of an hour would spend the whole day's budget. A failure that may be the subject's own fault counts only
 * together with others: a few subjects that the API chokes on must not stop everybody's screening.
 * All times are of a clock that never goes back.
 */
export class Breaker {
  readonly #inDoubt = new Set<string>();
  #failures = 0;
  #openUntil = 0;
  #probing = false;
  #lastError: ReasonCode | undefined;

  /** Why the API counts as away; undefined while it does not. */
  get lastError(): ReasonCode | undefined {
    return this.#lastError;
  }

  /** Whether a question may be sent. */
  allows(now: number): boolean {
    return this.#failures === 0 || (!this.#probing && now >= this.#openUntil);
  }

  /** Milliseconds until one may be sent; without end while a probe is out, for its answer decides. */
  waitMs(now: number): number {
    if (this.allows(now)) return 0;
    return this.#probing ? Number.POSITIVE_INFINITY : this.#openUntil - now;
  }

  /** A question is being sent. */
  sent(): void {
    if (this.#failures > 0) this.#probing = true;
  }

  /** The API gave an answer that makes sense, of whatever kind. */
  answered(): void {
    this.#inDoubt.clear();
    this.#failures = 0;
    this.#probing = false;
    this.#lastError = undefined;
  }

  /** A question failed. `certain` when it can only be the API's fault, as when nobody answers. */
  failed(now: number, subject: string, lastError: ReasonCode, certain: boolean): void {
    this.#inDoubt.add(subject);
    const isAway = certain || this.#failures > 0 || this.#inDoubt.size >= subjectsInDoubt;
    // Questions that were on their way together fail together and count once.
    if (!isAway || (this.#failures > 0 && !this.#probing)) return;
    this.#failures += 1;
    this.#probing = false;
    this.#lastError = lastError;
    this.#openUntil = now + retryDelayMs(this.#failures);
  }
}
