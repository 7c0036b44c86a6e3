import type { Clock } from '@weir/clock';
import { memoryBudget, PacedSender, type RateBudget } from '@weir/rate-budget';

/** The day's limit is reached: nothing more is sent. */
export class DayIsOver extends Error {
  readonly code = 'BUDGET_EXHAUSTED';
  readonly retriable = true;
}

interface Waiting {
  readonly start: () => Promise<void>;
  readonly refuse: (error: Error) => void;
}

/** Sends creates one after the other, within the limits of a second and a day. Counts its own alone. */
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

  /** Starts `call` when it may be sent. Rejects with `DayIsOver`, and when it is given up. */
  send<T>(call: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ start: () => call().then(resolve, reject), refuse: reject });
      if (!this.#sending) void this.#sendAll();
    });
  }

  /** The upstream wants us to wait, or is away: nobody sends before. */
  pause(window: 'second' | 'day', ms: number): Promise<void> {
    return this.#budget.pause(window, ms);
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    while (this.#queue.length > 0) {
      // As withdrawals, for which no part of the day is kept back: there is no other traffic here.
      const waiting = () => ({ withdrawal: this.#queue.length, deposit: 0, rescreen: 0 });
      const sent = await this.#sender.sendNext(waiting, () => this.#queue.shift()?.start(), this.#signal);
      if (sent.kind === 'sent' || sent.kind === 'idle') continue;
      const why = sent.kind === 'denied' ? new DayIsOver('the limit of the day is reached') : new Error('given up');
      for (const { refuse } of this.#queue.splice(0)) refuse(why);
    }
    this.#sending = false;
  }
}
