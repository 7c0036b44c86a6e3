import { type Clock, within } from '@weir/clock';
import { Failure } from '../failure.ts';

export interface TurnsOptions {
  readonly clock: Clock;
  /** Done at once; the others wait. */
  readonly atOnce: number;
  /** At most so many wait. */
  readonly waiting: number;
  /** From the request to its end, waiting included. */
  readonly limitMs: number;
}

/**
 * Lets few do heavy work at once. Who finds the queue full, or is not done in time, fails with `ServiceUnavailable`; so does who has gone, and makes room.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: (() => void)[] = [];
  #busy = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** `gone` is aborted when nobody waits for the work any more. */
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

  /** The place goes to the next in the queue, without being free in between. */
  #pass(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#busy -= 1;
    else next();
  }
}
