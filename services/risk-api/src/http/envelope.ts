import { PostgresError } from '@weir/postgres';
import type { Context } from 'hono';
import { Failure } from '../failure.ts';

export function succeeded<Data extends object | null>(data: Data): { success: true; msg: ''; data: Data } {
  return { success: true, msg: '', data };
}

/** A task's state in place of a result. */
export function taskMessage<const Message extends string>(msg: Message): { success: true; msg: Message; data: Record<string, never> } {
  return { success: true, msg, data: {} };
}

/** Maps any error to one that a caller may see. */
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
