import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { amount, problemOf, text, wholeNumber } from './result.ts';
import type { Refusal } from './types.ts';

export interface AddressOverview {
  /** In the chain's native coin, like the other amounts; negative when incoming transfers are unknown. */
  readonly balance: number;
  readonly total_received: number;
  readonly total_spent: number;
  readonly txs_count: number;
  readonly received_txs_count: number;
  readonly spent_txs_count: number;
  /** Unix seconds; null: never. */
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}

export type OverviewAnswer = { readonly kind: 'overview'; readonly overview: AddressOverview } | Refusal;

/** The coins and chains that the API knows. */
export interface ApiStatus {
  /** Names of its calls, without their version. */
  readonly support_api: readonly string[];
  readonly support_coin: readonly string[];
  /** Weir only. */
  readonly support_network?: readonly string[];
}

export type StatusAnswer = { readonly kind: 'status'; readonly status: ApiStatus } | Refusal;

/** Unix seconds; 0 is never. */
const seen = wholeNumber.transform((seconds) => seconds || null);
const overview = z.object({
  // Negative when incoming transfers are unknown.
  balance: z.union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,40}(\.\d{1,40})?$/)
      .transform(Number),
  ]),
  txs_count: wholeNumber,
  first_seen: seen,
  last_seen: seen,
  total_received: amount,
  total_spent: amount,
  received_txs_count: wholeNumber,
  spent_txs_count: wholeNumber,
});

export function overviewAnswerOf(reply: Reply, context: Context): OverviewAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(overview, data));
  return 'kind' in answer ? answer : { kind: 'overview', overview: answer.read };
}

const status = z.object({ support_api: z.array(text), support_coin: z.array(text), support_network: z.array(text).exactOptional() });

export function statusAnswerOf(reply: Reply, context: Context): StatusAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(status, data));
  return 'kind' in answer ? answer : { kind: 'status', status: answer.read };
}

const names: ReadonlySet<PropertyKey> = new Set([overview, status].flatMap((schema) => Object.keys(schema.shape)));

function readWith<Schema extends z.ZodType>(schema: Schema, data: unknown): { read: z.output<Schema> } | { problem: string } {
  const read = schema.safeParse(data);
  return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
}
