import type { Clock } from '@weir/clock';
import { arrivalLateMs, type Reservation, type BudgetLimits, type Lane, lanes, mostAtOnce, type RateBudget } from './budget.ts';
import { Answers } from './answers.ts';
import { LaneScheduler } from './lane-scheduler.ts';
import { Lateness } from './lateness.ts';
import { grantAgeMs, paceOf } from './pace.ts';

export type Sent<T> =
  /** `send` was called for this lane and returned `calls`, at least one; promises in there are not awaited. */
  | { readonly kind: 'sent'; readonly lane: Lane; readonly calls: readonly T[] }
  | { readonly kind: 'idle' }
  /** Every waiting lane has used its day's share. Retry after `waitMs`, or when another lane has work. */
  | { readonly kind: 'denied'; readonly waitMs: number; readonly lanes: readonly Lane[] }
  | { readonly kind: 'aborted' };

export interface PacedSenderOptions {
  readonly budget: RateBudget;
  readonly clock: Clock;
  readonly limits: BudgetLimits;
  readonly scheduler?: LaneScheduler;
  /** 1 to 50; more would break the guarantee per second. Default 40, which the pace assumes. */
  readonly maxGrantAgeMs?: number;
  /** Receives the age of each dropped grant. If they never stop, the budget answers too slowly to send anything. */
  readonly onStale?: (ageMs: number) => void;
}

/** Blocks of this much time save round trips at high limits. */
const blockMs = 40;
/** Retry interval of a lane without a share, since a refund can restore it. */
const denialKeptMs = 1_000;
/** So that new work in another lane and a changed budget are noticed. */
const longestSleepMs = 1_000;
/** Well within the minute for refunds; a process that stalled longer leaves the grant spent. */
const longestGiveBackMs = 10_000;

/**
 * Spends a budget in one process: waits until sends are due, then starts them at once. Use one loop per sender:
 *
 *     for (;;) {
 *       const sent = await sender.sendNext(() => queues.waiting(), (lane, arrived) => queues.take(lane).start().then(arrived), signal);
 *       if (sent.kind === 'idle' || sent.kind === 'denied') await queues.changed(sent, signal);
 *     }
 *
 * The upstream counts sends, not grants. So a grant older than `maxGrantAgeMs`, by the monotonic clock from the take, is refunded. Any N +
 * 1 grants span at least a second plus 50 ms (70 ms for N ≤ 100, `paceOf`). Any N + 1 sends of all processes then span a second plus 10 ms
 * (30 ms). A stalled process sends late, but never a burst. This process also keeps that distance itself, whatever the budget answers.
 *
 * A send may arrive late: the process or the upstream is starved, a packet is repeated, a connection opens. So for N ≤ 100 a send counts as
 * `arrivalLateMs` late until its answer. Then the sender reports an upper bound of the real lateness (`Answers`), mostly near zero. Answers
 * within a second cost no pace. If every grant is stale, takes announce a later send (`Lateness`); beyond half a second nothing is sent.
 */
export class PacedSender {
  readonly #budget: RateBudget;
  readonly #clock: Clock;
  readonly #scheduler: LaneScheduler;
  readonly #maxGrantAgeMs: number;
  readonly #lateness: Lateness;
  readonly #answers = new Answers();
  readonly #onStale: PacedSenderOptions['onStale'];
  readonly #count: number;
  /** 0 without a log, where each such grant would delay the next. */
  readonly #arrivalLateMs: number;
  readonly #block: number;
  /** Any N + 1 sends span at least this. */
  readonly #spanMs: number;
  /** A ring of the last N sends; `#sends % N` is the oldest. */
  readonly #log: Float64Array;
  #sends = 0;
  readonly #denied = new Map<Lane, { askAt: number; freeAt: number }>();

  constructor(options: PacedSenderOptions) {
    const pace = paceOf(options.limits);
    this.#budget = options.budget;
    this.#clock = options.clock;
    this.#scheduler = options.scheduler ?? new LaneScheduler();
    this.#maxGrantAgeMs = options.maxGrantAgeMs ?? grantAgeMs;
    if (!(this.#maxGrantAgeMs >= 1 && this.#maxGrantAgeMs <= 50)) throw new RangeError('maxGrantAgeMs must be from 1 to 50');
    this.#lateness = new Lateness(this.#maxGrantAgeMs);
    this.#onStale = options.onStale;
    this.#count = pace.count;
    this.#arrivalLateMs = pace.logged > 0 ? arrivalLateMs : 0;
    this.#block = Math.min(Math.ceil((pace.count * blockMs) / 1_000), mostAtOnce);
    this.#spanMs = pace.spanMs - this.#maxGrantAgeMs;
    this.#log = new Float64Array(pace.count);
  }

  /**
   * Calls `send` once a waiting lane may send, several times in a row at high limits. `send` must start the call before it returns, and
   * call its function once the upstream answered. Rejects when the budget fails, and when `send` throws (that grant is spent). `hasWork` is
   * asked before each send: whether `waiting` is more than 0, where counting would take long.
   */
  async sendNext<T>(
    waiting: () => Readonly<Record<Lane, number>>,
    send: (lane: Lane, arrived: () => void) => T,
    signal?: AbortSignal,
    hasWork: (lane: Lane) => boolean = (lane) => waiting()[lane] > 0,
  ): Promise<Sent<T>> {
    while (!signal?.aborted) {
      const queued = waiting();
      const choice = this.#choose(queued);
      if (typeof choice === 'object') return choice;
      const logWaitMs = this.#logWaitMs();
      if (logWaitMs > 0) {
        await this.#sleep(logWaitMs, signal);
        continue;
      }
      const askedAt = this.#clock.monotonic();
      const lateMs = this.#lateness.ms;
      const grant = await this.#budget.take(choice, Math.min(queued[choice], this.#block), lateMs + this.#arrivalLateMs);
      if (!grant.granted) {
        if (grant.window === 'second') await this.#sleep(grant.waitMs, signal);
        else this.#deny(choice, grant.waitMs);
        continue;
      }
      const ageMs = this.#clock.monotonic() - askedAt;
      if (!this.#lateness.record(ageMs, lateMs)) this.#onStale?.(ageMs);
      const until = askedAt + this.#maxGrantAgeMs + lateMs;
      // Before each send: sending takes time, and another `sendNext` may have sent meanwhile.
      const may = (): boolean => this.#clock.monotonic() <= until && !signal?.aborted && hasWork(choice) && this.#logWaitMs() <= 0;
      const { reservation } = grant;
      const { calls, left, error } = this.#spend(choice, grant.count, may, (lane) => {
        const sentAt = this.#clock.monotonic();
        return send(lane, () => {
          const delayMs = this.#answers.delayOf(this.#clock.monotonic() - sentAt);
          this.#settle(reservation, sentAt - askedAt + delayMs, 1);
        });
      });
      if (left > 0) this.#settle(reservation, null, left);
      if (left > 0 && this.#clock.monotonic() - askedAt < longestGiveBackMs) {
        const givenBack = this.#budget.refund(choice, left);
        // The caller must learn of sends that happened; a failed refund stays counted.
        await (left < grant.count ? givenBack.catch(() => undefined) : givenBack);
      }
      if (error !== undefined) throw error.cause;
      if (calls.length > 0) return { kind: 'sent', lane: choice, calls };
    }
    return { kind: 'aborted' };
  }

  #spend<T>(
    lane: Lane,
    count: number,
    may: () => boolean,
    send: (lane: Lane) => T,
  ): { calls: T[]; left: number; error?: { cause: unknown } } {
    const calls: T[] = [];
    let spent = 0;
    try {
      while (spent < count && may()) {
        spent++;
        this.#noteSend(this.#clock.monotonic());
        calls.push(send(lane));
      }
      return { calls, left: count - spent };
    } catch (cause) {
      return { calls, left: count - spent, error: { cause } };
    } finally {
      if (spent > 0) this.#scheduler.sent(lane, spent);
    }
  }

  /** In the background: success improves the pace, failure costs nothing. */
  #settle(reservation: Reservation | null, arrivedMs: number | null, count: number): void {
    if (reservation !== null) this.#budget.settle(reservation, arrivedMs, count).catch(() => undefined);
  }

  #choose(waiting: Readonly<Record<Lane, number>>): Lane | { kind: 'idle' } | { kind: 'denied'; waitMs: number; lanes: Lane[] } {
    const now = this.#clock.monotonic();
    const allowed = new Set(lanes.filter((lane) => (this.#denied.get(lane)?.askAt ?? 0) <= now));
    const lane = this.#scheduler.next(waiting, allowed);
    if (lane !== undefined) return lane;
    const denied = lanes.filter((other) => waiting[other] > 0);
    if (denied.length === 0) return { kind: 'idle' };
    const freeAt = Math.min(...denied.map((other) => this.#denied.get(other)?.freeAt ?? now));
    return { kind: 'denied', waitMs: Math.max(1, Math.ceil(freeAt - now)), lanes: denied };
  }

  #deny(lane: Lane, waitMs: number): void {
    const now = this.#clock.monotonic();
    this.#denied.set(lane, { askAt: now + Math.min(waitMs, denialKeptMs), freeAt: now + waitMs });
  }

  #noteSend(now: number): void {
    this.#log[this.#sends++ % this.#count] = now;
  }

  #logWaitMs(): number {
    const oldest = this.#log[this.#sends % this.#count];
    return oldest === undefined || this.#sends < this.#count ? 0 : oldest + this.#spanMs - this.#clock.monotonic();
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#clock.sleep(Math.min(Math.ceil(ms), longestSleepMs), signal);
  }
}
