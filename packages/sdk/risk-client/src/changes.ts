import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { problemOf, text, wholeNumber } from './result.ts';
import type { ScoreChangesAnswer } from './types.ts';

const name = text.min(1).max(512);
const item = z.object({
  chain: name,
  subject_type: z.enum(['address', 'txid']),
  subject: name,
  direction: z.enum(['deposit', 'withdraw']),
  // Absent from APIs that report label changes only. An unknown cause counts as the wider one.
  cause: z.enum(['label', 'transfer']).catch('label'),
  // Rejects milliseconds, which would be in the far future.
  changed_at: wholeNumber.refine((value) => value >= 0 && value < 100_000_000_000),
});
const page = z
  .object({ items: z.array(item), next_cursor: z.string().regex(/^[\x21-\x7e]{1,256}$/), more: z.boolean() })
  // A client would follow such pages for ever.
  .refine(({ items, more }) => items.length > 0 || !more, { path: ['more'] });

const names: ReadonlySet<PropertyKey> = new Set([...Object.keys(item.shape), ...Object.keys(page.shape)]);

/** Strict: the API never repeats a change that the client overlooks. */
export function scoreChangesAnswerOf(reply: Reply, context: Context): ScoreChangesAnswer {
  if (reply.status === 404) return { kind: 'not_found' };
  const answer = successOf(reply, context, ({ data }) => {
    const read = page.safeParse(data);
    return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
  });
  return 'kind' in answer ? answer : { kind: 'changes', ...answer.read };
}
