import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { text } from './result.ts';
import type { ReadinessAnswer } from './types.ts';

/** Shown to people unchanged, so short and on one line. */
const remark = text.regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]{1,500}$/u);
const readiness = z.object({ status: z.string(), warnings: z.array(remark).max(20).optional() });

/** Another form belongs to an API without readiness. */
export function readinessAnswerOf(reply: Reply, context: Context): ReadinessAnswer {
  if (reply.status === 404) return { kind: 'not_found' };
  const answer = successOf(reply, context, ({ body }) => ({ read: readiness.safeParse(body) }), { enveloped: false });
  if ('kind' in answer) return answer;
  return answer.read.success ? { kind: 'ready', warnings: answer.read.data.warnings ?? [] } : { kind: 'not_found' };
}
