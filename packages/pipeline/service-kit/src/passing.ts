import { databaseError } from '@weir/postgres';

/** Statement timeout, a read-only server after a failover, ended sessions, or no resources left. */
const passingStates = /^(57014|25006|57P|53)/;

/** Whether a dependency failed, rather than the request. It affects everybody and may pass soon. */
export function isPassing(error: unknown): boolean {
  const { retriable } = (databaseError(error) ?? {}) as { retriable?: unknown };
  const { code } = (error ?? {}) as { code?: unknown };
  return retriable === true || (typeof code === 'string' && passingStates.test(code));
}
