import { type Lane, lanes } from './budget.ts';

const defaultWeights: Readonly<Record<Lane, number>> = { withdrawal: 0.6, deposit: 0.3, rescreen: 0.1 };

/**
 * Lanes share by weight, take what others leave, and none starves. Stride scheduling with start tags (Goyal et al., start-time fair
 * queuing, 1996): n sends advance a lane by n/weight. An idle lane restarts at the others' position, so it cannot save up.
 */
export class LaneScheduler {
  readonly #weights: Readonly<Record<Lane, number>>;
  readonly #tags: Record<Lane, number> = { withdrawal: 0, deposit: 0, rescreen: 0 };
  #time = 0;

  constructor(weights: Readonly<Record<Lane, number>> = defaultWeights) {
    this.#weights = weights;
  }

  /** The next waiting and allowed lane. Changes nothing until `sent`. */
  next(waiting: Readonly<Record<Lane, number>>, allowed: ReadonlySet<Lane>): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of lanes) {
      if (waiting[lane] <= 0 || !allowed.has(lane)) continue;
      if (best === undefined || this.#start(lane) < this.#start(best)) best = lane;
    }
    return best;
  }

  sent(lane: Lane, count = 1): void {
    this.#time = this.#start(lane);
    this.#tags[lane] = this.#time + count / this.#weights[lane];
  }

  #start(lane: Lane): number {
    return Math.max(this.#tags[lane], this.#time);
  }
}
