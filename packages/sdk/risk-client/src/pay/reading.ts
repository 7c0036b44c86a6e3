import { z } from 'zod';
import { type Context, successOf } from '../answer.ts';
import type { Reply } from '../http.ts';
import { amount, problemOf, wholeNumber } from '../result.ts';
import type { OverviewAnswer } from './types.ts';

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

const names: ReadonlySet<PropertyKey> = new Set(Object.keys(overview.shape));

function readWith<Schema extends z.ZodType>(schema: Schema, data: unknown): { read: z.output<Schema> } | { problem: string } {
  const read = schema.safeParse(data);
  return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
}

/** A task's path on the same API; null for anything else, so that the client goes nowhere else. */
export function locationOf(reply: Reply, base: URL): string | null {
  const location = reply.headers.get('location');
  const url = location === null ? null : URL.parse(location, base.href);
  if (url === null || url.origin !== base.origin || url.search !== '' || url.hash !== '') return null;
  return /^\/[A-Za-z0-9/_.~-]{1,300}$/.test(url.pathname) ? url.pathname : null;
}
