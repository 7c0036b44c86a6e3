import { isRecordTime } from '@weir/contracts';
import { problem } from '@weir/service-kit';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';

const maxBodyBytes = 64 * 1024;
/** Characters of a reason or a note. */
const maxTextLength = 4_000;
export const maxNameLength = 200;

/** 413 for what is longer. */
export const limitBody: MiddlewareHandler = bodyLimit({
  maxSize: maxBodyBytes,
  onError: (c) => problem(c, 413, 'BODY_TOO_LARGE', `a body may have ${maxBodyBytes} bytes`),
});

const text = z
  .string()
  .refine((value) => value.isWellFormed() && !/[^\P{Cc}\n\t\r]/u.test(value), 'holds what is no character')
  .transform((value) => value.trim())
  .refine((value) => value !== '', 'must say something')
  .refine((value) => value.length <= maxTextLength, `may have ${maxTextLength} characters`);
const name = text.refine(
  (value) => value.length <= maxNameLength && !/\p{Cc}/u.test(value),
  `is one line of at most ${maxNameLength} characters`,
);
/** For a body and for a parameter: RFC 3339. */
export const time = z.iso
  .datetime({ offset: true })
  .refine((value) => isRecordTime(Date.parse(value)), 'is out of range')
  .transform((value) => new Date(value));
const revision = z.int().min(1).max(2_147_483_647).optional();

/** Unknown fields are refused: a misspelt `revision` must not be lost unseen. */
export const bodies = {
  resolution: z.strictObject({ action: z.enum(['allow', 'block']), reason: text, revision }),
  approval: z.strictObject({ resolution_id: z.guid().transform((id) => id.toLowerCase()), approve: z.boolean(), reason: text.nullish() }),
  reopening: z.strictObject({ reason: text, revision }),
  note: z.strictObject({ text }),
  assignee: z.strictObject({ assignee: name.refine((value) => value !== 'none', 'none is for nobody: give null').nullable() }),
  due: z.strictObject({ due_at: time.nullable() }),
} as const;

/** The body as `schema` has it, or the problem: 415 for another type, 400 with the field for another form. */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T | Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    return problem(c, 415, 'NOT_JSON', 'the body must be application/json');
  }
  const json = readJson(await c.req.arrayBuffer());
  if (json === undefined) return problem(c, 400, 'MALFORMED', 'the body is not JSON');
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : (issue?.path.join('.') ?? '');
  if (field === '') return problem(c, 400, 'MALFORMED', 'the body is not a JSON object');
  const said = issue?.code === 'unrecognized_keys' ? `${field} is not a field here` : `${field}: ${issue?.message}`;
  return problem(c, 400, 'MALFORMED', said, { field });
}

/** Undefined when the bytes are not JSON. JSON is UTF-8 (RFC 8259): other bytes would be taken for one and the same sign. */
function readJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
