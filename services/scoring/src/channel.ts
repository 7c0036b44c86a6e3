import { CircuitBreaker, type Clock, Signal } from '@weir/clock';
import type { Lane, ReasonCode } from '@weir/contracts';
import { PacedSender, type RateBudget } from '@weir/rate-budget';
import type { RiskProvider } from '@weir/risk-provider';

export interface ChannelOptions {
  readonly provider: RiskProvider;
  readonly budget: RateBudget;
  readonly clock: Clock;
  readonly onStale: () => void;
}

/** One provider with its budget, pace and availability. */
export class Channel {
  readonly provider: RiskProvider;
  readonly budget: RateBudget;
  readonly sender: PacedSender;
  /** While the provider is unavailable, creates wait: otherwise a quarter of an hour's outage would spend the day's budget. */
  readonly breaker = new CircuitBreaker<ReasonCode>({ firstMs: 1_000, longestMs: 30_000 });
  readonly sendable: Signal;
  /** Lanes whose budget is spent. */
  readonly denied = new Set<Lane>();
  readonly #clock: Clock;
  /** Monotonic; undefined while the provider is available. */
  #awaySince: number | undefined;

  constructor({ provider, budget, clock, onStale }: ChannelOptions) {
    this.provider = provider;
    this.budget = budget;
    this.#clock = clock;
    this.sendable = new Signal(clock);
    this.sender = new PacedSender({ budget, clock, limits: provider.limits, onStale });
  }

  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#clock.monotonic() - this.#awaySince;
  }

  /** Milliseconds until one may be sent. */
  waitMs(): number {
    return this.breaker.waitMs(this.#clock.monotonic());
  }

  failed(subject: string, failure: ReasonCode, { isCertain }: { isCertain: boolean }): void {
    const now = this.#clock.monotonic();
    this.breaker.failed(now, { subject, failure, isCertain });
    if (this.breaker.isOpen) this.#awaySince ??= now;
  }

  succeeded(): void {
    this.breaker.succeeded();
    this.#awaySince = undefined;
  }

  lastError(lane: Lane): ReasonCode | undefined {
    return this.breaker.lastFailure ?? (this.denied.has(lane) ? 'BUDGET_EXHAUSTED' : undefined);
  }
}
