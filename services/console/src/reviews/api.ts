import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { Callers, Role } from '@weir/service-kit';
import type { Context } from 'hono';
import { uuid } from '../parameters.ts';
import type { ReviewService } from './review-service.ts';

export interface ReviewApiOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly reviewService: ReviewService;
  readonly clock: Clock;
}

/** Roles for actions that allow nothing: hold again, note, assign. */
export const keepers: readonly Role[] = ['reviewer', 'approver', 'admin'];

/** Groups the operations in the description. */
export const tag = 'reviews';

export const notFound = { NOT_FOUND: [404, 'There is no screening with this id.'] } as const;

export function idOf(c: Context): string | undefined {
  return uuid.safeParse(c.req.param('screening_id')).data;
}
