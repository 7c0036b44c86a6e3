import { PostgresError } from '@weir/postgres';
import type { Context } from 'hono';
import { Failure } from '../failure.ts';

/** What every call answers. `msg` is empty on success, or a task message; on failure it is the code. */
export interface Envelope {
  readonly success: boolean;
  readonly msg: string;
  readonly data: object;
}

export function succeeded(data: object, msg = ''): Envelope {
  return { success: true, msg, data };
}

/** Turns whatever was thrown into what may be told. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(error instanceof PostgresError && error.retriable ? 'ServiceUnavailable' : 'InternalError');
}

export function sendFailure(c: Context, failure: Failure): Response {
  const { code, status, retryAfter } = failure;
  const limit = retryAfter === undefined ? {} : { retry_after: retryAfter };
  if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
  return c.json({ success: false, msg: code, data: {}, ...limit }, status);
}
