import { compare } from '../combine.ts';
import type { Movement } from '../store.ts';
import { attribution, tracing } from '../weights.ts';
import type { TraceMethod } from './carried.ts';
import { fifo } from './fifo.ts';
import { haircut } from './haircut.ts';
import type { TraceDirection } from './ledger.ts';
import { poison } from './poison.ts';
import type { TraceReading } from './reading.ts';
import { type TraceMethodName, traceMethods } from './result.ts';
import { isPassage, type Leg } from './swaps.ts';
import type { Outcome } from './terminals.ts';

const rules: Readonly<Record<TraceMethodName, TraceMethod>> = { haircut, fifo, poison };

export type TraceLimits = Pick<
  typeof attribution,
  'most_addresses' | 'most_transfers' | 'addresses_per_round' | 'small_addresses_per_round'
> &
  Pick<typeof tracing, 'most_unread' | 'least_swap'>;

/** Reads where most of the traced money is, by haircut or by FIFO, and traces again. */
export class Tracer {
  readonly #reading: TraceReading;
  readonly #direction: TraceDirection;
  readonly #isStart: (movement: Movement) => boolean;
  readonly #limits: TraceLimits;

  constructor(reading: TraceReading, direction: TraceDirection, isStart: (movement: Movement) => boolean, limits: TraceLimits) {
    this.#reading = reading;
    this.#direction = direction;
    this.#isStart = isStart;
    this.#limits = limits;
  }

  /** Of what is read now. */
  outcome(methods: readonly TraceMethodName[] = traceMethods): Outcome {
    const ledger = this.#reading.ledger();
    const near = this.#direction === 'forward' ? 'from' : 'to';
    const isStart = (leg: Leg): boolean => leg[near] === this.#reading.subject && this.#isStart(leg.movement);
    const start = { direction: this.#direction, isStart: (index: number) => isStart(ledger.payments[index] as Leg) };
    return {
      direction: this.#direction,
      unit: this.#reading.unit,
      ledger,
      starts: ledger.payments.filter(isStart),
      traced: methods.map((method) => ({ method, ...rules[method](ledger, start) })),
    };
  }

  /** False: nothing is left to read, or a limit is reached. */
  async round(): Promise<boolean> {
    const outcome = this.outcome();
    const whole = outcome.starts.reduce((sum, { value }) => sum + value, 0);
    await this.#reading.readLabels(new Set(this.#arrivals(outcome).map(({ far }) => far)));
    const { most_addresses, most_transfers, most_unread, least_swap } = this.#limits;
    if (this.#reading.transfers >= most_transfers) return false;
    const arrivals = this.#arrivals(outcome).filter(({ worth }) => worth > 0);
    const swaps = arrivals.filter(({ far, worth }) => worth >= least_swap * whole && this.#reading.mayHaveSwapped(far));
    if (await this.#reading.readTransactions(swaps.map(({ leg }) => leg))) return true;
    const unread = this.#unread(arrivals);
    if (unread.reduce((sum, [, worth]) => sum + worth, 0) <= most_unread * whole) return false;
    const next = unread.slice(0, Math.min(this.#roundSize(), most_addresses - this.#reading.addresses));
    if (next.length === 0) return false;
    const deep = next.filter(([, worth]) => worth >= attribution.deep_importance * whole);
    await this.#reading.readAddresses(
      next.map(([address]) => address),
      new Set(deep.map(([address]) => address)),
    );
    return true;
  }

  /** Few at first: a nearer one may make others unimportant. Fewer near the end, because each may have as many transfers as a hub. */
  #roundSize(): number {
    const { addresses_per_round, small_addresses_per_round, most_transfers } = this.#limits;
    const affordable = (most_transfers - this.#reading.transfers) / attribution.nearest_transfers;
    const most = Math.min(small_addresses_per_round, this.#reading.addresses, Math.floor(affordable));
    return Math.max(most, addresses_per_round);
  }

  /** Legs that carry anything by any method. `worth`: by haircut or by FIFO, whichever is more. */
  #arrivals({ ledger, traced }: Outcome): { leg: Leg; far: string; worth: number }[] {
    return ledger.payments.flatMap((leg, index) => {
      const far = this.#direction === 'forward' ? leg.to : leg.from;
      const carriedBy = (method: TraceMethodName): number => traced.find((each) => each.method === method)?.carried[index]?.value ?? 0;
      if (isPassage(far) || carriedBy('poison') <= 0) return [];
      return [{ leg, far, worth: Math.max(carriedBy('haircut'), carriedBy('fifo')) }];
    });
  }

  #unread(arrivals: readonly { far: string; worth: number }[]): (readonly [address: string, worth: number])[] {
    const sums = new Map<string, number>();
    for (const { far, worth } of arrivals) {
      if (this.#reading.standing(far) === 'unread') sums.set(far, (sums.get(far) ?? 0) + worth);
    }
    return [...sums].toSorted(([a, one], [b, other]) => other - one || compare(a, b));
  }
}
