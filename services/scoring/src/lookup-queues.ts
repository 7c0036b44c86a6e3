import type { Lane } from '@weir/contracts';
import type { Lookup } from './lookups.ts';
import type { TokenShares } from './token-shares.ts';

/** Claimed lookups that wait for their create, bounded per lane. */
export class LookupQueues {
  readonly #queues: Readonly<Record<Lane, Lookup[]>> = { withdrawal: [], deposit: [], rescreen: [] };
  readonly #bound: number;
  readonly #shares: Pick<TokenShares, 'hasSpent'>;

  constructor({ perSecond }: { perSecond: number }, shares: Pick<TokenShares, 'hasSpent'>) {
    this.#bound = Math.min(Math.max(10, 2 * perSecond), 1_000);
    this.#shares = shares;
  }

  all(): Lookup[] {
    return Object.values(this.#queues).flat();
  }

  add(lookup: Lookup): void {
    this.#queues[lookup.lane].push(lookup);
  }

  /** False if the lookup is not queued. */
  remove(lookup: Lookup): boolean {
    const queue = this.#queues[lookup.lane];
    const at = queue.indexOf(lookup);
    if (at !== -1) queue.splice(at, 1);
    return at !== -1;
  }

  /** Removes and returns the next lookup of a lane: the oldest, or the one that has failed least. */
  take(lane: Lane, { leastTried }: { leastTried: boolean }): Lookup | undefined {
    const queue = this.#queues[lane];
    const next = leastTried
      ? leastTriedOf(queue.filter((lookup) => this.#isSendable(lane, lookup)))
      : queue.find((lookup) => this.#isSendable(lane, lookup));
    if (next !== undefined) this.remove(next);
    return next;
  }

  /** Lookups that may be sent now, per lane. */
  sendable(): Record<Lane, number> {
    return this.#perLane((lane) => this.#queues[lane].reduce((count, lookup) => count + Number(this.#isSendable(lane, lookup)), 0));
  }

  hasSendable(lane: Lane): boolean {
    return this.#queues[lane].some((lookup) => this.#isSendable(lane, lookup));
  }

  room(): Record<Lane, number> {
    return this.#perLane((lane) => this.#bound - this.#queues[lane].length);
  }

  isHalfEmpty(lane: Lane): boolean {
    return this.#queues[lane].length <= this.#bound / 2;
  }

  /** Lookups of a token that has spent its share wait until they move to the rescreen lane. */
  #isSendable(lane: Lane, { token_id }: Lookup): boolean {
    return lane === 'rescreen' || !this.#shares.hasSpent(token_id);
  }

  #perLane(count: (lane: Lane) => number): Record<Lane, number> {
    return { withdrawal: count('withdrawal'), deposit: count('deposit'), rescreen: count('rescreen') };
  }
}

function leastTriedOf(lookups: readonly Lookup[]): Lookup | undefined {
  return lookups.reduce<Lookup | undefined>((best, lookup) => (best === undefined || lookup.tries < best.tries ? lookup : best), undefined);
}
