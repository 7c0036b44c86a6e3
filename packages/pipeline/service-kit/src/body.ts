import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import { problem } from './http.ts';

const maxBodyBytes = 64 * 1024;

export const limitBody: MiddlewareHandler = bodyLimit({
  maxSize: maxBodyBytes,
  onError: (c) => problem(c, 413, 'BODY_TOO_LARGE', `a body may have ${maxBodyBytes} bytes`),
});

/** The body parsed by `schema`, or a problem: 415 for another type, 400 with the invalid field. `what` names the body in messages. */
export async function readBody<T>(c: Context, schema: z.ZodType<T>, what: string): Promise<T | Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    return problem(c, 415, 'NOT_JSON', 'the body must be application/json');
  }
  const json = readJson(await c.req.arrayBuffer());
  if (json === undefined) return problem(c, 400, 'MALFORMED', 'the body is not JSON');
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : malformed(c, parsed.error.issues[0], what);
}

/** Undefined if the bytes are not JSON in UTF-8 (RFC 8259). Invalid bytes would all decode to the same character. */
function readJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function malformed(c: Context, issue: z.core.$ZodIssue | undefined, what: string): Response {
  if (issue?.code === 'unrecognized_keys') {
    const field = issue.keys[0] ?? '';
    return problem(c, 400, 'MALFORMED', `${field} is not a field of ${what}`, { field });
  }
  const field = issue?.path.join('.') ?? '';
  if (field === '') return problem(c, 400, 'MALFORMED', 'the body is not a JSON object');
  return problem(c, 400, 'MALFORMED', `${field}: ${issue?.message}`, { field });
}
