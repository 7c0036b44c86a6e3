import { databaseError } from '@weir/postgres';

/** A statement that took too long, a server that may only read after a failover, one that ends sessions or has no room left. */
const passingStates = /^(57014|25006|57P|53)/;

/** Whether the failure is of what is stood on, and not of what was asked: everybody has it now, and it may be over soon. */
export function isPassing(error: unknown): boolean {
  const { retriable } = (databaseError(error) ?? {}) as { retriable?: unknown };
  const { code } = (error ?? {}) as { code?: unknown };
  return retriable === true || (typeof code === 'string' && passingStates.test(code));
}
