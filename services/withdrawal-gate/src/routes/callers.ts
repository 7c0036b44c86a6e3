import type { Clock } from '@weir/clock';
import { type Callers, type Admission, requireRole, type Role } from '@weir/service-kit';
import { answerWithin } from '../availability.ts';

/** Roles that may post withdrawals and get and redeem their permits. */
export const machines: readonly Role[] = ['gate', 'admin'];

/** `admission` with a time limit. */
export function admit(access: Callers, clock: Clock, limitMs: number, roles: readonly Role[]): Admission {
  const guard = requireRole(access, roles);
  return {
    roles,
    guard: async (c, next) => {
      const denied = await answerWithin(
        clock,
        limitMs,
        guard(c, async () => undefined),
      );
      return denied ?? next();
    },
  };
}
