import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { requireRole, type Role } from '@weir/service-kit';
import type { Context, MiddlewareHandler } from 'hono';
import { within } from '../availability.ts';

/** Roles that may ask for withdrawals, get their permits and redeem them. */
export const machines: readonly Role[] = ['gate', 'admin'];

/** `requireRole`, in bounded time. */
export function admit(db: Queryable, clock: Clock, limitMs: number, allowed: readonly Role[]): MiddlewareHandler {
  return async (c, next) => {
    const denied = await within(clock, limitMs, denial(db, allowed, c));
    if (denied !== undefined) return denied;
    return next();
  };
}

/** The answer for a caller who has none of the roles; undefined for one who has. */
export async function denial(db: Queryable, allowed: readonly Role[], c: Context): Promise<Response | undefined> {
  const answer = await requireRole(db, allowed)(c, async () => undefined);
  return answer ?? undefined;
}
