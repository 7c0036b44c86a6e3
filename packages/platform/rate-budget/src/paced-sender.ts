import type { Clock } from '@weir/clock';
import { type Reservation, type BudgetLimits, type Lane, lanes, mostAtOnce, mostLateMs, type RateBudget } from './budget.ts';
import { Answers } from './answers.ts';
import { LaneScheduler } from './lane-scheduler.ts';
import { Lateness } from './lateness.ts';
import { grantAgeMs, paceOf } from './pace.ts';

/** What came of asking for the next sends. */
export type Sent<T> =
  /** `send` was called for this lane and returned `calls`, at least one, handed on as they are: promises in there are not awaited. */
  | { readonly kind: 'sent'; readonly lane: Lane; readonly calls: readonly T[] }
  /** Nothing waits. */
  | { readonly kind: 'idle' }
  /** Every lane that waits is out of its day's share. Ask again after `waitMs`, or when another lane has work. */
  | { readonly kind: 'denied'; readonly waitMs: number; readonly lanes: readonly Lane[] }
  | { readonly kind: 'aborted' };

export interface PacedSenderOptions {
  readonly budget: RateBudget;
  readonly clock: Clock;
  readonly limits: BudgetLimits;
  readonly scheduler?: LaneScheduler;
  /** From 1 to 50, for more would break the promise of the second; default 40, which is what the pace reckons with. */
  readonly maxGrantAgeMs?: number;
  /** Told of each grant dropped for its age. Some are ordinary; when there is no end to them, the budget answers too slowly for anything to be sent. */
  readonly onStale?: (ageMs: number) => void;
}

/** Grants are asked for in blocks of what the limit allows in this time, so that a high limit does not mean as many round trips. */
const blockMs = 40;
/** After a rest of this length, as at the start, connections are opened anew and the first sends arrive later than those a second after them. */
const restMs = 4_000;
/** For so long after a rest grants are asked for as being sent this much later, since what counts is when they arrive. */
const wakingMs = 500;
const wakingLateMs = 100;
/** A lane out of its day's share is asked again this often, for a share can come back. */
const denialKeptMs = 1_000;
/** Waits are cut to this, so that new work in another lane and a changed budget are seen. */
const longestSleepMs = 1_000;
/** Well within the minute in which a grant may be given back; a process that stood still for longer leaves it spent. */
const longestGiveBackMs = 10_000;

/**
 * Spends a budget in one process: waits until some may be sent, then has them sent at once. Use one loop per sender:
 *
 *     for (;;) {
 *       const sent = await sender.sendNext(() => queues.waiting(), (lane, arrived) => queues.take(lane).start().then(arrived), signal);
 *       if (sent.kind === 'idle' || sent.kind === 'denied') await queues.changed(sent, signal);
 *     }
 *
 * A grant is a promise about the moment it was given; what counts upstream is the moment of sending. So a grant older than `maxGrantAgeMs`, counted
 * from the moment of asking on the monotonic clock, is dropped (given back) and taken anew. Any N + 1 grants span at least a second
 * plus 50 ms (70 ms for N ≤ 100, `paceOf`), hence any N + 1 sends of all processes together a second plus 10 ms (30 ms) for unevenness on the way. A stalled process therefore sends late, but
 * never a burst. Besides, this process by itself keeps the same distance, whatever the budget says.
 *
 * Once a call is answered it is told to the budget how late it arrived at most (`Answers`): mostly next to nothing, so that the next may go sooner; and
 * where the network or a starved machine held it up for longer than is reckoned with, others go later for it.
 * The first sends after a rest arrive later than others, over connections yet to be opened: for half a second they are paid for as 100 ms late (N ≤ 100).
 * Where the budget is so far away that every grant is stale, grants are asked for as being sent later (`lateMs` of `RateBudget.take`) and may
 * age by as much more. Everybody's pace is slower for that, and the promise holds. It ends half a second out; beyond that nothing is sent.
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
  readonly #logged: boolean;
  /** The largest block to ask for. */
  readonly #block: number;
  /** Any N + 1 sends span at least this much. */
  readonly #spanMs: number;
  /** Moments of the last N sends, in a ring; the next one goes to `#sends % N`, where the oldest is. */
  readonly #log: Float64Array;
  #sends = 0;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  /** The first send after the latest rest. */
  #wokeAt = Number.NEGATIVE_INFINITY;
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
    this.#logged = pace.logged > 0;
    this.#block = Math.min(Math.ceil((pace.count * blockMs) / 1_000), mostAtOnce);
    this.#spanMs = pace.spanMs - this.#maxGrantAgeMs;
    this.#log = new Float64Array(pace.count);
  }

  /**
   * Waits until one of the waiting lanes may send, then calls `send` with that lane, once, or at high limits several times in a row; `send` must
   * start the call before it returns. It is given a function to call once the upstream has answered, by when the call has arrived. `waiting` is asked anew after every wait and before every send.
   * Rejects when the budget cannot be asked, and when `send` throws (that grant is spent then).
   */
  async sendNext<T>(
    waiting: () => Readonly<Record<Lane, number>>,
    send: (lane: Lane, arrived: () => void) => T,
    signal?: AbortSignal,
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
      const arrivesLateMs = this.#wakingLateMs(askedAt);
      const lateMs = Math.min(this.#lateness.ms, mostLateMs - arrivesLateMs);
      const grant = await this.#budget.take(choice, Math.min(queued[choice], this.#block), lateMs + arrivesLateMs);
      if (!grant.granted) {
        if (grant.window === 'second') await this.#sleep(grant.waitMs, signal);
        else this.#deny(choice, grant.waitMs);
        continue;
      }
      const ageMs = this.#clock.monotonic() - askedAt;
      if (!this.#lateness.heard(ageMs, lateMs)) this.#onStale?.(ageMs);
      const until = askedAt + this.#maxGrantAgeMs + lateMs;
      // Looked at before each send: sending takes time, and another `sendNext` may have sent meanwhile.
      const may = (): boolean => this.#clock.monotonic() <= until && !signal?.aborted && waiting()[choice] > 0 && this.#logWaitMs() <= 0;
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
        // Once something was sent, that is what the caller must hear of; what could not be given back stays counted.
        await (left < grant.count ? givenBack.catch(() => undefined) : givenBack);
      }
      if (error !== undefined) throw error.cause;
      if (calls.length > 0) return { kind: 'sent', lane: choice, calls };
    }
    return { kind: 'aborted' };
  }

  /** Sends as much of a grant as may be sent, up to the first error. */
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

  /** In the background: it saves pace when it succeeds, and is of no account when it does not. */
  #settle(reservation: Reservation | null, arrivedMs: number | null, count: number): void {
    if (reservation !== null) this.#budget.settle(reservation, arrivedMs, count).catch(() => undefined);
  }

  /** The lane to ask the budget for, or why there is none. */
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
    if (now - this.#lastSentAt > restMs) this.#wokeAt = now;
    this.#lastSentAt = now;
  }

  /** Not at limits without a log, where each such grant would hold up the next. */
  #wakingLateMs(now: number): number {
    if (!this.#logged) return 0;
    return now - this.#lastSentAt > restMs || now - this.#wokeAt < wakingMs ? wakingLateMs : 0;
  }

  #logWaitMs(): number {
    const oldest = this.#log[this.#sends % this.#count];
    return oldest === undefined || this.#sends < this.#count ? 0 : oldest + this.#spanMs - this.#clock.monotonic();
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#clock.sleep(Math.min(Math.ceil(ms), longestSleepMs), signal);
  }
}
