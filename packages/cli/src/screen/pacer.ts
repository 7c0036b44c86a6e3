import type { Clock } from '@weir/clock';
import { memoryBudget, PacedSender, type RateBudget } from '@weir/rate-budget';

/** The daily limit is reached: no further create is sent. */
export class DayIsOver extends Error {
  readonly code = 'BUDGET_EXHAUSTED';
  readonly retriable = true;
}

interface Waiting {
  /** Calls `arrived` once the upstream has answered. */
  readonly start: (arrived: () => void) => Promise<void>;
  readonly refuse: (error: Error) => void;
}

/** Sends creates in sequence, within the limits of a second and a day. Counts only its own. */
export class Pacer {
  readonly #budget: RateBudget;
  readonly #sender: PacedSender;
  readonly #signal: AbortSignal;
  readonly #queue: Waiting[] = [];
  #sending = false;

  constructor(options: { clock: Clock; limits: { perSecond: number; perDay: number }; signal: AbortSignal }) {
    this.#budget = memoryBudget(options);
    this.#sender = new PacedSender({ ...options, budget: this.#budget });
    this.#signal = options.signal;
  }

  /** Starts `call` when the budget allows it. Rejects with `DayIsOver`, and when aborted. */
  send<T>(call: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const start = (arrived: () => void): Promise<void> =>
        call().then((answer) => {
          arrived();
          resolve(answer);
        }, reject);
      this.#queue.push({ start, refuse: reject });
      if (!this.#sending) void this.#sendAll();
    });
  }

  /** Stops all creates while the upstream asks for a pause or is unavailable. */
  pause(window: 'second' | 'day', ms: number): Promise<void> {
    return this.#budget.pause(window, ms);
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    while (this.#queue.length > 0) {
      // In the withdrawal lane, which may use the whole day: there is no other traffic here.
      const waiting = () => ({ withdrawal: this.#queue.length, deposit: 0, rescreen: 0 });
      const sent = await this.#sender.sendNext(waiting, (_, arrived) => this.#queue.shift()?.start(arrived), this.#signal);
      if (sent.kind === 'sent' || sent.kind === 'idle') continue;
      const why = sent.kind === 'denied' ? new DayIsOver('the limit of the day is reached') : new Error('given up');
      for (const { refuse } of this.#queue.splice(0)) refuse(why);
    }
    this.#sending = false;
  }
}
