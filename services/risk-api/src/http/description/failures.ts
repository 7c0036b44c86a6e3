import { z } from 'zod';
import { type FailureCode, statusOf } from '../../failure.ts';
import type { Description } from '../operation.ts';
import { bare, type Json } from './json.ts';

/** Of every call with a key. */
const ofTheKey: readonly FailureCode[] = ['InvalidApiKey', 'ExpiredPlan', 'ExceededRateLimit', 'ExceededDailyRateLimit'];
const ofTheServer: readonly FailureCode[] = ['InternalError', 'ServiceUnavailable'];
const ofABody: readonly FailureCode[] = ['PayloadTooLarge', 'UnsupportedMediaType'];

const meanings: Readonly<Record<number, string>> = {
  400: 'The key or the request is wrong.',
  402: 'The plan of the key has ended.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  429: 'A limit of the key. `retry_after` and the header Retry-After say for how many seconds.',
  500: 'Something went wrong in the service.',
  503: 'Something the service needs is away, or a score did not come in time; try again.',
};

/** The body of a failure with one of these codes. */
export function failureBody(status: number, codes: readonly FailureCode[]) {
  const fields = { success: z.literal(false), msg: z.enum(codes), data: z.strictObject({}) };
  return status === 429 ? z.strictObject({ ...fields, retry_after: z.int().min(1) }) : z.strictObject(fields);
}

type Refusing = Pick<Description, 'keyed' | 'method' | 'refusals'>;

/** The codes a call can fail with, by status. */
export function failuresOf({ keyed, method, refusals }: Refusing): ReadonlyMap<number, readonly FailureCode[]> {
  const ownOfABody = method === 'POST' ? [...ofABody, 'InvalidParameter' as const] : [];
  return Map.groupBy(new Set([...(keyed ? ofTheKey : []), ...refusals, ...ownOfABody, ...ofTheServer]), statusOf);
}

/** The answers of a call other than its success, by status. */
export function failureResponses(page: Refusing): Json {
  return Object.fromEntries([...failuresOf(page)].map(([status, codes]) => [String(status), responseOf(status, codes)]));
}

function responseOf(status: number, codes: readonly FailureCode[]): Json {
  const limited = status === 429;
  const schema = bare(z.toJSONSchema(failureBody(status, codes), { io: 'output' }));
  const example = { success: false, msg: codes[0], data: {}, ...(limited ? { retry_after: 1 } : {}) };
  const header = { 'Retry-After': { description: 'Seconds.', required: true, schema: { type: 'integer', minimum: 1 } } };
  return {
    description: meanings[status] ?? 'Failure.',
    ...(limited ? { headers: header } : {}),
    content: { 'application/json': { schema, example } },
  };
}
