import type { ReasonCode } from '@weir/contracts';
import { retryDelayMs } from '@weir/risk-client';

/** So many failing subjects without one good answer between them point to the API, not to a subject. */
const subjectsInDoubt = 5;

/**
 * While the risk API is unavailable, one probe at a time goes out, after 1, 2, 4 … 30 seconds; all other creates wait.
 * Otherwise a quarter of an hour's outage would spend the day's budget. A failure that the subject may cause counts only together with
 * others:
 * a few subjects that the API fails on must not stop all screening. All times are monotonic.
 */
export class Breaker {
  readonly #inDoubt = new Set<string>();
  #failures = 0;
  #openUntil = 0;
  #probing = false;
  #lastError: ReasonCode | undefined;

  /** Why the API counts as unavailable; undefined while it is available. */
  get lastError(): ReasonCode | undefined {
    return this.#lastError;
  }

  allows(now: number): boolean {
    return this.#failures === 0 || (!this.#probing && now >= this.#openUntil);
  }

  /** Milliseconds until a create may be sent; infinite while a probe is out, since its answer decides. */
  waitMs(now: number): number {
    if (this.allows(now)) return 0;
    return this.#probing ? Number.POSITIVE_INFINITY : this.#openUntil - now;
  }

  sent(): void {
    if (this.#failures > 0) this.#probing = true;
  }

  /** The API gave any meaningful answer. */
  answered(): void {
    this.#inDoubt.clear();
    this.#failures = 0;
    this.#probing = false;
    this.#lastError = undefined;
  }

  /** `certain`: only the API can be at fault, as when the connection is refused. */
  failed(now: number, subject: string, lastError: ReasonCode, certain: boolean): void {
    this.#inDoubt.add(subject);
    const isAway = certain || this.#failures > 0 || this.#inDoubt.size >= subjectsInDoubt;
    // Concurrent failures count once.
    if (!isAway || (this.#failures > 0 && !this.#probing)) return;
    this.#failures += 1;
    this.#probing = false;
    this.#lastError = lastError;
    this.#openUntil = now + retryDelayMs(this.#failures);
  }
}
