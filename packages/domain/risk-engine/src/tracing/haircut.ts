import {
  type Carried,
  type Followed,
  keep,
  largerWay,
  nothing,
  stepsOf,
  type TraceMethod,
  type TraceStart,
  type Trail,
  type Way,
} from './carried.ts';
import type { Ledger } from './ledger.ts';

/** Each payment takes as much of the traced money as of the payer's balance. */
export const haircut: TraceMethod = (ledger, start) => (start.direction === 'forward' ? forward(ledger, start) : backward(ledger, start));

/** Of one address: the traced part of its money. */
interface Pool {
  value: number;
  main: Way | undefined;
}

function forward({ payments, isEnd, entries }: Ledger, { isStart }: TraceStart): Followed {
  const carried: Carried[] = payments.map(() => nothing);
  const pools = new Map<string, Pool>();
  for (const { index, value, near, far } of stepsOf(payments, 'forward')) {
    const taken = isStart(index) ? { value, main: undefined } : take(pools.get(near), entries[index]?.share ?? 0);
    if (taken.value <= 0) continue;
    const main = { value: taken.main?.value ?? taken.value, trail: { index, before: taken.main?.trail } };
    carried[index] = { value: taken.value, main };
    if (isEnd(far)) continue;
    const pool = pools.get(far) ?? { value: 0, main: undefined };
    pool.value += taken.value;
    pool.main = largerWay(pool.main, main);
    pools.set(far, pool);
  }
  return { carried, kept: pools };
}

/** All ways shrink alike, so the largest stays the largest. */
function take(pool: Pool | undefined, share: number): Pool {
  if (pool === undefined) return { value: 0, main: undefined };
  const value = share * pool.value;
  pool.value -= value;
  const { main } = pool;
  pool.main = main && scaled(main, 1 - share, main.trail);
  return { value, main: main && scaled(main, share, main.trail) };
}

/** Of one unit in the hands of an address: the part that goes on to the start. */
type Reach = Pool;

/** The same division, read from its end: exact, and in one pass, because each payment takes a known share of the payer's balance. */
function backward({ payments, isEnd, entries }: Ledger, { isStart }: TraceStart): Followed {
  const carried: Carried[] = payments.map(() => nothing);
  const kept = new Map<string, Carried>();
  const reaches = new Map<string, Reach>();
  for (const { index, value, near, far } of stepsOf(payments, 'backward')) {
    const reach: Reach | undefined = isStart(index) ? { value: 1, main: undefined } : reaches.get(near);
    const on = reach?.value ?? 0;
    const way = { value: reach?.main?.value ?? on, trail: { index, before: reach?.main?.trail } };
    if (on > 0) carried[index] = { value: value * on, main: scaled(way, value, way.trail) };
    if (isEnd(far)) continue;
    const { share = 0, unbrought = 0 } = entries[index] ?? {};
    if (on > 0 && unbrought > 0) keep(kept, far, { value: unbrought * on, main: scaled(way, unbrought, way.trail) });
    const before = reaches.get(far);
    if (on === 0 && before === undefined) continue;
    const still = before?.main && scaled(before.main, 1 - share, before.main.trail);
    const main = on > 0 && share > 0 ? largerWay(still, scaled(way, share, way.trail)) : still;
    reaches.set(far, { value: (1 - share) * (before?.value ?? 0) + share * on, main });
  }
  return { carried, kept };
}

function scaled({ value }: Way, factor: number, trail: Trail): Way {
  return { value: value * factor, trail };
}
