import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { problemOf } from './result.ts';
import type { PriceAnswer } from './types.ts';

const price = z.object({
  coin: z.string(),
  usd: z.string().regex(/^(0|[1-9]\d{0,77})(\.\d{1,36})?$/),
  day: z.iso.date(),
});
const names: ReadonlySet<PropertyKey> = new Set(Object.keys(price.shape));

/** Rejects the price of another coin. */
export function priceAnswerOf(reply: Reply, context: Context, coin: string): PriceAnswer {
  if (reply.status === 404) return { kind: 'not_found' };
  const answer = successOf(reply, context, ({ data }) => {
    if (data === null) return { read: null };
    const read = price.extend({ coin: z.literal(coin) }).safeParse(data);
    return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
  });
  if ('kind' in answer) return answer;
  return answer.read === null ? { kind: 'no_price' } : { kind: 'price', usd: answer.read.usd, day: answer.read.day };
}
