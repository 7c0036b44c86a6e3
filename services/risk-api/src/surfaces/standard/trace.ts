import { type AddressSubject, addressTrace } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { type RiskStore, traceMethods, traceMoney, type TraceOptions } from '@weir/risk-engine';
import type { z } from 'zod';
import { Failure } from '../../failure.ts';
import { succeeded } from '../../http/envelope.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { coinOf } from '../../http/parameters.ts';
import { succeededWith } from '../../http/schemas/answers.ts';
import { traceQuery } from '../../http/schemas/requests.ts';
import { trace } from '../../http/schemas/trace.ts';
import { traceExample, traceRequest } from '../../http/trace-example.ts';
import type { Turns } from '../../reports/turns.ts';
import { addressReader } from './analyses.ts';
import { addition, targetRefusals } from './scores.ts';

export interface TraceParts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
  /** A trace reads as much as a score, at once. */
  readonly traces: Turns;
}

export type AskedTrace = AddressSubject &
  Pick<TraceOptions, 'direction' | 'methods' | 'since' | 'until'> & { readonly unit: 'usd' | 'coin'; readonly symbol: string };

export function traceOperations(parts: TraceParts): Operation[] {
  const description = traceDescription(parts);
  return [
    operation({
      ...description,
      description: `${addition} ${description.description}`,
      name: 'v1_address_trace',
      surface: 'standard',
      path: '/v1/address_trace',
      counted: true,
      request: traceQuery,
      run: (asked, { signal }) => readTrace(parts, asked, signal),
    }),
  ];
}

/** The members that the call has on each surface. */
export function traceDescription({ clock }: Pick<TraceParts, 'clock'>) {
  return {
    method: 'GET',
    summary: 'Profile of an address: who funded it, platforms it used, incidents, names; and where its money went or came from.',
    description:
      'The trace follows money in the order of time, through swaps, to services, to other risk labels, and to addresses that still hold it. Transfers of unknown value are followed with unit=coin alone.',
    answer: succeededWith(trace),
    example: { request: traceRequest, answer: traceExample },
    refusals: targetRefusals,
    read: traceReader(clock),
  } as const;
}

/** Fails with `ServiceUnavailable` where too many are traced at once. */
export async function readTrace({ db, store, traces }: TraceParts, asked: AskedTrace, gone: AbortSignal) {
  const { chain, address, atMs, unit, symbol, ...options } = asked;
  const [profile, money] = await Promise.all([
    addressTrace(db, store, asked),
    traces.run(
      (signal) => traceMoney(store, chain, address, atMs, { ...options, ...(unit === 'coin' ? { coin: symbol } : {}), signal }),
      gone,
    ),
  ]);
  return succeeded({ ...profile, trace: money });
}

/** The end of a second is inclusive. */
const restOfSecondMs = 999;

/** Fails with `InvalidParameter`, and like any target's parameters. */
function traceReader(clock: Clock): (request: z.output<typeof traceQuery>) => AskedTrace {
  return ({ coin, unit, address, direction, method, start_timestamp: start, end_timestamp: end }) => {
    if (end !== undefined && start > end) throw new Failure('InvalidParameter');
    const subject = addressReader(clock)({ coin, address });
    const until = end === undefined ? subject.atMs : end * 1_000 + restOfSecondMs;
    const { symbol } = coinOf(coin);
    return { ...subject, unit, symbol, direction, methods: method === undefined ? traceMethods : [method], since: start * 1_000, until };
  };
}
