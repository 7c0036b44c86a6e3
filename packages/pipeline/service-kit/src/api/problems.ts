import { titles } from '../problem.ts';
import type { Operation, Problems } from './operation.ts';
import type { Json } from './schemas.ts';

const ofTheCaller: Problems = {
  UNAUTHENTICATED: [401, 'There is no bearer token, or it is not valid.'],
  FORBIDDEN: [403, 'The role of the token may not do this.'],
  TOO_MANY_FAILURES: [429, 'Too many bad tokens came from this address. Good ones work.'],
};
const ofMachines: Problems = { TOO_MANY_REQUESTS: [429, 'The token sends more requests in a second than it may.'] };
const ofTheQuery: Problems = { UNKNOWN_PARAMETER: [400, 'There is no such parameter; `known` lists those that there are.'] };
const ofAnyBody: Problems = { BODY_TOO_LARGE: [413, 'The body is larger than 64 KiB.'] };
const ofTheBody: Problems = {
  MALFORMED: [400, 'The body is wrong; `errors` lists every wrong field.'],
  ...ofAnyBody,
  NOT_JSON: [415, 'The body is not application/json.'],
};
const ofTheServer: Problems = {
  INTERNAL: [500, 'Something went wrong in the service. Its log has the cause.'],
  UNAVAILABLE: [503, 'A dependency is unavailable. Try again.'],
  STARTING: [503, 'The service is still starting. Try again.'],
  STOPPING: [503, 'The service is going down. Try again.'],
};

/** Every problem of an operation, by its code. */
export function problemsOf({ admission, query, body, rawBody, problems = {} }: Operation): Problems {
  const parameters = Object.keys(query.shape).map((name) => [`INVALID_${name.toUpperCase()}`, [400, `\`${name}\` is wrong.`]] as const);
  const isForMachines = admission.roles.includes('ingest') || admission.roles.includes('gate');
  return {
    ...ofTheQuery,
    ...Object.fromEntries(parameters),
    ...(body === undefined ? {} : ofTheBody),
    ...(rawBody === undefined ? {} : ofAnyBody),
    ...(admission.guard === undefined ? {} : ofTheCaller),
    ...(admission.guard !== undefined && isForMachines ? ofMachines : {}),
    ...problems,
    ...ofTheServer,
  };
}

/** OpenAPI responses of an operation's problems, by status. */
export function problemResponses(operation: Operation): Json {
  const byStatus = Map.groupBy(Object.entries(problemsOf(operation)), ([, [status]]) => status);
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(statuses.map(([status, problems]) => [String(status), responseOf(status, problems)]));
}

type Listed = readonly (readonly [code: string, problem: readonly [status: number, meaning: string]])[];

function responseOf(status: number, problems: Listed): Json {
  const headers = headersOf[status];
  const [first, [, detail]] = problems[0] ?? ['', [status, '']];
  return {
    description: problems.map(([code, [, meaning]]) => `\`${code}\`: ${meaning}`).join(' '),
    ...(headers === undefined ? {} : { headers }),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }],
          properties: { status: { const: status }, code: { enum: problems.map(([code]) => code) } },
        },
        example: { type: 'about:blank', title: titles[status], status, code: first, detail },
      },
    },
  };
}

const text = { type: 'string' };
const headersOf: Readonly<Record<number, Json>> = {
  401: { 'WWW-Authenticate': { description: 'Bearer.', required: true, schema: text } },
  429: { 'Retry-After': { description: 'Seconds.', required: true, schema: text } },
};

const field = { type: 'string', description: 'The wrong field or parameter.' };
/** RFC 9457, with the members that Weir adds. Some problems have further ones. */
export const problemSchema: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457). `code` is for programs, `detail` for people.',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { const: 'about:blank' },
    title: text,
    status: { type: 'integer' },
    code: text,
    detail: text,
    field,
    hint: { type: 'string', description: 'What may have been meant.' },
    errors: {
      type: 'array',
      description: 'Every problem of the input.',
      items: {
        type: 'object',
        required: ['field', 'detail'],
        properties: { field, detail: text, hint: text },
      },
    },
    known: { type: 'array', description: 'The parameters that there are.', items: text },
  },
};
