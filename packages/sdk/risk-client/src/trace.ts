import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { amount, problemOf, text, wholeNumber } from './result.ts';
import type { AddressOf, Refusal } from './types.ts';

/** `count` may exceed the length of the list. */
type Named<Name extends string> = {
  readonly [N in Name]: { readonly count: number } & Readonly<Record<`${N}_list`, readonly string[]>>;
};

export type TraceMethod = 'haircut' | 'fifo' | 'poison';
/** Of the methods that were asked for. */
export type ByMethod = Readonly<Partial<Record<TraceMethod, number>>>;

export interface AddressTrace {
  /** The first funder's label or address; empty when unknown. */
  readonly first_address: string;
  readonly use_platform: Named<'exchange' | 'dex' | 'mixer' | 'nft'>;
  readonly malicious_event: Named<'phishing' | 'ransom' | 'stealing' | 'laundering'>;
  readonly relation_info: Named<'wallet' | 'ens' | 'twitter'>;
  /** Null when the API gives none. Its own description says more of each field. */
  readonly trace: MoneyTrace | null;
}

/** Where the money of an address went (forward), or where it came from (backward). */
export interface MoneyTrace {
  readonly direction: 'forward' | 'backward';
  /** Of all values: USD, or a coin. */
  readonly unit: string;
  readonly value: number;
  readonly transfers: number;
  readonly unvalued_transfers: number;
  readonly unlisted_transfers: number;
  readonly read: { readonly addresses: number; readonly transfers: number };
  readonly terminals: readonly TraceTerminal[];
  readonly others: { readonly terminals: number; readonly value: ByMethod };
  readonly not_followed: { readonly addresses: number; readonly value: ByMethod };
  /** Part of `value`, 0 to 1, that each terminal may have more. */
  readonly bound: ByMethod;
}

export interface TraceTerminal {
  /** Such as `service`, `held`, `hub`. */
  readonly kind: string;
  readonly entity: string;
  readonly category: string;
  readonly address: string;
  readonly addresses: number;
  readonly value: ByMethod;
  readonly hops: number;
  readonly method: TraceMethod;
  readonly path_value: number;
  /** In the order of time. */
  readonly path: readonly TraceHop[];
}

export interface TraceHop {
  readonly txid: string;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly coin: string;
  /** Decimal string, in the coin. */
  readonly amount: string | null;
  readonly usd: number | null;
  readonly traced: number;
  readonly from: string;
  readonly to: string;
  /** Strangers signed it, and nobody knows whose money is whose. */
  readonly coin_join: boolean;
}

export type TraceAnswer = { readonly kind: 'trace'; readonly trace: AddressTrace } | Refusal;

export interface TraceOf extends AddressOf {
  /** Default `forward`. */
  readonly direction?: 'forward' | 'backward';
  /** `coin`: only transfers in the coin, in its units. Default `usd`: all coins of the chain. */
  readonly unit?: 'usd' | 'coin';
  /** Default: all three. */
  readonly method?: TraceMethod;
  /** Unix seconds, both inclusive: the address's own transfers that are traced. */
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
}

export function traceFieldsOf({ coin, address, unit, direction, method, startTimestamp, endTimestamp }: TraceOf): Record<string, string> {
  return {
    coin,
    address,
    ...(unit !== undefined && { unit }),
    ...(direction !== undefined && { direction }),
    ...(method !== undefined && { method }),
    ...(startTimestamp !== undefined && { start_timestamp: String(startTimestamp) }),
    ...(endTimestamp !== undefined && { end_timestamp: String(endTimestamp) }),
  };
}

/** `{count, <name>_list}` under each name. */
function named<const Names extends readonly [string, ...string[]]>(...names: Names) {
  const lists = names.map((name) => [name, z.object({ count: wholeNumber, [`${name}_list`]: z.array(text) })] as const);
  return z.object(Object.fromEntries(lists)) as unknown as z.ZodType<Named<Names[number]>>;
}

const method = z.enum(['haircut', 'fifo', 'poison']);
const byMethod = z.partialRecord(method, amount);
const hop = z.object({
  txid: text,
  time: text,
  coin: text,
  amount: text.nullable(),
  usd: amount.nullable(),
  traced: amount,
  from: text,
  to: text,
  coin_join: z.boolean().default(false),
});
const terminal = z.object({
  kind: text,
  entity: text,
  category: text,
  address: text,
  addresses: wholeNumber,
  value: byMethod,
  hops: wholeNumber,
  method,
  path_value: amount,
  path: z.array(hop),
});
const money = z.object({
  direction: z.enum(['forward', 'backward']),
  unit: text,
  value: amount,
  transfers: wholeNumber,
  unvalued_transfers: wholeNumber,
  unlisted_transfers: wholeNumber,
  read: z.object({ addresses: wholeNumber, transfers: wholeNumber }),
  terminals: z.array(terminal),
  others: z.object({ terminals: wholeNumber, value: byMethod }),
  not_followed: z.object({ addresses: wholeNumber, value: byMethod }),
  bound: byMethod,
});
const trace = z.object({
  first_address: text,
  use_platform: named('exchange', 'dex', 'mixer', 'nft'),
  malicious_event: named('phishing', 'ransom', 'stealing', 'laundering'),
  relation_info: named('wallet', 'ens', 'twitter'),
  // Another API's field of that name says nothing.
  trace: money
    .nullish()
    .catch(null)
    .transform((value) => value ?? null),
});

const names: ReadonlySet<PropertyKey> = new Set(Object.keys(trace.shape));

export function traceAnswerOf(reply: Reply, context: Context): TraceAnswer {
  const answer = successOf(reply, context, ({ data }) => {
    const read = trace.safeParse(data);
    return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
  });
  return 'kind' in answer ? answer : { kind: 'trace', trace: answer.read };
}
