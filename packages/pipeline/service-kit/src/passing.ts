import { databaseError } from '@weir/postgres';

/** Statement timeout, a read-only server after a failover, ended sessions, or no resources left. */
const passingStates = /^(57014|25006|57P|53)/;

/** Whether a dependency failed, rather than the request. It affects everybody and may pass soon. */
export function isPassing(error: unknown): boolean {
  const { retriable } = (databaseError(error) ?? {}) as { retriable?: unknown };
  const { code } = (error ?? {}) as { code?: unknown };
  return retriable === true || (typeof code === 'string' && passingStates.test(code));
}

/** A limit that the work itself may have met: a statement that took too long, or resources. */
const ownLimits = /^(57014|53)/;

/** Whether the database cannot be used by anybody now, so that doing less would not help. */
export function isAway(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return isPassing(error) && !(typeof code === 'string' && ownLimits.test(code));
}
