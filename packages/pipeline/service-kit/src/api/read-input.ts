import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import { problem } from '../problem.ts';
import { type InputProblem, inputProblems, inWords } from './input-problem.ts';

const maxBodyBytes = 64 * 1024;

export function limitBody(maxSize = maxBodyBytes): MiddlewareHandler {
  return bodyLimit({ maxSize, onError: (c) => problem(c, 413, 'BODY_TOO_LARGE', `a body may have ${maxSize} bytes`) });
}

export interface BodyDefinition<Body extends z.ZodType = z.ZodType> {
  readonly schema: Body;
  /** Names the body in messages: "a deposit". */
  readonly what: string;
  readonly example: Readonly<Record<string, unknown>>;
  /** Default: 64 KiB. */
  readonly maxBytes?: number;
  /** Answers instead of 400 `MALFORMED`, if it returns something. `given` is the parsed JSON. */
  readonly refuse?: (c: Context, problems: readonly InputProblem[], given: Readonly<Record<string, unknown>>) => Response | undefined;
}

/** The body parsed by its schema, or a problem: 415 for another type, 400 with every invalid field. */
export async function readBody<Body extends z.ZodType>(c: Context, body: BodyDefinition<Body>): Promise<z.output<Body> | Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    return problem(c, 415, 'NOT_JSON', 'the body must be application/json: send the header Content-Type');
  }
  const json = readJson(await c.req.arrayBuffer());
  if (json === undefined) return problem(c, 400, 'MALFORMED', 'the body is not JSON');
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return problem(c, 400, 'MALFORMED', 'the body is not a JSON object');
  }
  const parsed = body.schema.safeParse(json, { error: inWords });
  if (parsed.success) return parsed.data;
  const problems = inputProblems(parsed.error.issues, body.what);
  return body.refuse?.(c, problems, json as Record<string, unknown>) ?? refuseInput(c, 400, 'MALFORMED', problems);
}

/** A problem that lists every problem of the input; `field` and `hint` are those of the first. */
export function refuseInput(c: Context, status: 400 | 422, code: string, problems: readonly InputProblem[]): Response {
  const { field, hint } = problems[0] ?? {};
  const first = { ...(field !== undefined && { field }), ...(hint !== undefined && { hint }) };
  return problem(c, status, code, problems.map(({ detail }) => detail).join('; '), { ...first, errors: problems });
}

/**
 * The query parsed by its schema, or 400 with every unknown, empty, repeated or invalid parameter. A misspelt filter that is ignored would
 * list everything, and so would an empty one, as a caller sends it whose variable has no value. An empty cursor is the first page.
 */
export function readQuery<Query extends z.ZodObject>(c: Context, schema: Query): z.output<Query> | Response {
  const known = Object.keys(schema.shape);
  const given = Object.entries(c.req.queries());
  const unknown = given.map(([name]) => name).filter((name) => !known.includes(name));
  const takes = known.length === 0 ? 'takes no parameters' : `takes ${known.join(', ')}`;
  if (unknown.length > 0) {
    const problems = unknown.map((field) => ({ field, detail: `there is no parameter ${field}` }));
    const detail = `${problems.map((one) => one.detail).join('; ')}; ${c.req.path} ${takes}`;
    return problem(c, 400, 'UNKNOWN_PARAMETER', detail, { field: unknown[0], errors: problems, known });
  }
  const repeated = given.filter(([, values]) => values.length > 1);
  const empty = given.filter(([name, values]) => values.length === 1 && values[0] === '' && name !== 'cursor');
  const filled = given.filter(([, [value]]) => value !== '').map(([name, [value]]) => [name, value]);
  const parsed = schema.safeParse(Object.fromEntries(filled), { error: inWords });
  if (parsed.success && repeated.length === 0 && empty.length === 0) return parsed.data;
  const problems = [
    ...repeated.map(([field]) => ({ field, detail: `${field} is given more than once` })),
    ...empty.map(([field]) => ({ field, detail: `${field} is empty: give it a value, or leave it out` })),
    ...inputProblems(parsed.error?.issues ?? [], 'the query'),
  ];
  return refuseInput(c, 400, `INVALID_${problems[0]?.field.toUpperCase()}`, problems);
}

/** Undefined if the bytes are not JSON in UTF-8 (RFC 8259). Invalid bytes would all decode to the same character. */
function readJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
