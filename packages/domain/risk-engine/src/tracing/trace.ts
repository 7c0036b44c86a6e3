import { createLookup } from '../attribution/lookup.ts';
import type { History, Movement, RiskStore } from '../store.ts';
import { attribution, tracing } from '../weights.ts';
import type { TraceDirection } from './ledger.ts';
import { surelyRead, TraceReading } from './reading.ts';
import { type ByMethod, type MoneyTrace, type TraceMethodName, traceMethods } from './result.ts';
import { valued } from './swaps.ts';
import { byMethod, type Ending, endingsOf, type Outcome, rounded, terminalsOf } from './terminals.ts';
import { type TraceLimits, Tracer } from './tracer.ts';

export interface TraceOptions {
  readonly direction: TraceDirection;
  /** Traces in units of this coin, through transfers in it alone. Default: in USD, through all coins. */
  readonly coin?: string;
  /** Default: all three. */
  readonly methods?: readonly TraceMethodName[];
  /** Unix milliseconds, both inclusive: the transfers of the address itself that are traced. Default: all. */
  readonly since?: number;
  readonly until?: number;
  readonly limits?: Partial<TraceLimits>;
  /** Aborted: the trace ends with its reason before the next statement. */
  readonly signal?: AbortSignal;
}

/** Follows what an address paid (forward) or received (backward). Labels are those of `atMs` (Unix milliseconds). */
export async function traceMoney(
  store: RiskStore,
  chain: string,
  address: string,
  atMs: number,
  { direction, coin, methods = traceMethods, since = -Infinity, until, limits, signal }: TraceOptions,
): Promise<MoneyTrace> {
  const reading = new TraceReading(createLookup(store, chain, atMs), address, coin);
  const history = await reading.readSubject(until);
  const isStart = ({ at, from, to }: Movement): boolean =>
    (direction === 'forward' ? from : to) === address && at >= since && at <= (until ?? Infinity);
  const tracer = new Tracer(reading, direction, isStart, { ...attribution, ...tracing, ...limits });
  while (await tracer.round()) signal?.throwIfAborted();
  const outcome = tracer.outcome(traceMethods.filter((method) => methods.includes(method)));
  const listed = (history?.movements ?? []).filter(isStart);
  return {
    direction,
    unit: outcome.unit,
    value: rounded(
      outcome.starts.reduce((sum, { value }) => sum + value, 0),
      outcome.unit,
    ),
    transfers: new Set(outcome.starts.map(({ movement }) => movement)).size,
    unvalued_transfers: listed.filter((each) => isOf(each, coin) && valued(each, coin) === undefined).length,
    unlisted_transfers: unlistedOf(history, direction, listed.length),
    read: { addresses: reading.addresses, transfers: reading.transfers },
    ...endsOf(outcome, reading),
  };
}

/** A worthless transfer has a value. */
function isOf({ usd, coin: own }: Movement, coin: string | undefined): boolean {
  return coin === undefined ? usd === null : own === coin;
}

/** None where the last ones reach back to before the traced time. */
function unlistedOf(history: History | undefined, direction: TraceDirection, listed: number): number {
  const rest = history?.rest[direction === 'forward' ? 'out' : 'in'].transfers ?? 0;
  return listed < surelyRead ? 0 : rest;
}

function endsOf(outcome: Outcome, reading: TraceReading): Pick<MoneyTrace, 'terminals' | 'others' | 'not_followed' | 'bound'> {
  const { traced } = outcome;
  const all = terminalsOf(outcome, reading);
  const [shown, others] = [all.slice(0, tracing.most_terminals), all.slice(tracing.most_terminals)];
  const endings = traced.map((each) => ({ method: each.method, endings: endingsOf(outcome, each) }));
  const sumAt = (method: TraceMethodName, isCounted: (ending: Ending) => boolean): number =>
    endings
      .find((each) => each.method === method)
      ?.endings.filter(isCounted)
      .reduce((sum, { value }) => sum + value, 0) ?? 0;
  const isUnread = ({ address }: Ending): boolean => reading.standing(address) === 'unread';
  const isOpen = ({ address }: Ending): boolean => ['unread', 'hub'].includes(reading.standing(address));
  return {
    terminals: shown,
    others: {
      terminals: others.length,
      value: byMethod(outcome, (method) => others.reduce((sum, { value }) => sum + (value[method] ?? 0), 0)),
    },
    not_followed: {
      addresses: new Set(endings.flatMap((each) => each.endings.filter(isUnread).map(({ address }) => address))).size,
      value: byMethod(outcome, (method) => sumAt(method, isUnread)),
    },
    bound: boundOf(outcome, (method) => sumAt(method, isOpen)),
  };
}

function boundOf({ traced, starts }: Outcome, openOf: (method: TraceMethodName) => number): ByMethod {
  const whole = starts.reduce((sum, { value }) => sum + value, 0);
  const conserving = traced.filter(({ method }) => method !== 'poison');
  return Object.fromEntries(
    conserving.map(({ method }) => [method, whole > 0 ? Math.min(Math.ceil((openOf(method) / whole) * 1e6) / 1e6, 1) : 0]),
  );
}
