import { type Clock, within } from '@weir/clock';
import { Failure } from '../failure.ts';

export interface TurnsOptions {
  readonly clock: Clock;
  /** Concurrent calls; the others wait. */
  readonly atOnce: number;
  /** The longest queue. */
  readonly waiting: number;
  /** From the call to its end, waiting included. */
  readonly limitMs: number;
}

/** Limits concurrent heavy work. A call that finds the queue full, is late or is aborted fails with `ServiceUnavailable`. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: (() => void)[] = [];
  #busy = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** `gone`: the caller has gone away. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, gone: AbortSignal): Promise<T> {
    const { clock, atOnce, waiting, limitMs } = this.#options;
    if (gone.aborted || (this.#busy >= atOnce && this.#queue.length >= waiting)) throw new Failure('ServiceUnavailable');
    const late = (): never => {
      throw new Failure('ServiceUnavailable');
    };
    return within(clock, limitMs, (over) => this.#inTurn(work, over), { late, signal: gone });
  }

  async #inTurn<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await work(signal);
    } finally {
      this.#pass();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#busy < this.#options.atOnce) {
      this.#busy += 1;
      return;
    }
    const given = await new Promise<boolean>((resolve) => {
      const take = (): void => resolve(true);
      this.#queue.push(take);
      const giveUp = (): void => {
        const at = this.#queue.indexOf(take);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        resolve(false);
      };
      signal.addEventListener('abort', giveUp, { once: true });
    });
    if (!given) throw new Failure('ServiceUnavailable');
  }

  /** The slot passes to the next waiting call without becoming free. */
  #pass(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#busy -= 1;
    else next();
  }
}
