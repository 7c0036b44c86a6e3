import type { Clock } from '@weir/clock';
import { type Access, requireRole, type Role } from '@weir/service-kit';
import type { MiddlewareHandler } from 'hono';
import { answerWithin } from '../availability.ts';

/** Roles that may post withdrawals and get and redeem their permits. */
export const machines: readonly Role[] = ['gate', 'admin'];

/** `requireRole` with a time limit. */
export function admit(access: Access, clock: Clock, limitMs: number, allowed: readonly Role[]): MiddlewareHandler {
  const guard = requireRole(access, allowed);
  return async (c, next) => {
    const denied = await answerWithin(
      clock,
      limitMs,
      guard(c, async () => undefined),
    );
    return denied ?? next();
  };
}
