import { type Lane, lanes } from './budget.ts';

const defaultWeights: Readonly<Record<Lane, number>> = { withdrawal: 0.6, deposit: 0.3, rescreen: 0.1 };

/**
 * Which lane goes next, so that lanes which wait share by weight, take what others leave, and none starves.
 * Stride scheduling with start tags (Goyal et al., start-time fair queuing, 1996): each send moves its lane 1/weight further (n at once n/weight), and the lane that is
 * furthest behind goes next. A lane that had nothing to send starts from where the others are, so it can't save up. No I/O, no clock, no chance.
 */
export class LaneScheduler {
  readonly #weights: Readonly<Record<Lane, number>>;
  readonly #tags: Record<Lane, number> = { withdrawal: 0, deposit: 0, rescreen: 0 };
  #time = 0;

  constructor(weights: Readonly<Record<Lane, number>> = defaultWeights) {
    this.#weights = weights;
  }

  /** The lane to serve next among those that wait and are allowed. Changes nothing: asking is free until `sent`. */
  next(waiting: Readonly<Record<Lane, number>>, allowed: ReadonlySet<Lane>): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of lanes) {
      if (waiting[lane] <= 0 || !allowed.has(lane)) continue;
      if (best === undefined || this.#start(lane) < this.#start(best)) best = lane;
    }
    return best;
  }

  /** Charges the lane for sends that went together. */
  sent(lane: Lane, count = 1): void {
    this.#time = this.#start(lane);
    this.#tags[lane] = this.#time + count / this.#weights[lane];
  }

  #start(lane: Lane): number {
    return Math.max(this.#tags[lane], this.#time);
  }
}
