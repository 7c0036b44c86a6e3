import { problem, type Problems } from '@weir/service-kit';
import type { Context } from 'hono';

export interface Assigning {
  readonly assignee: string | null;
  /** Who has it as far as the caller knows; undefined: whoever it is. */
  readonly expected?: string | null | undefined;
}

/** It has been assigned to another person since the caller read it. */
export interface Reassigned {
  readonly assignedTo: string | null;
}

export const reassignedProblem: Problems = { REASSIGNED: [409, 'Another person has it now, or nobody; `assignee` tells who.'] };

/** What is already as wanted is a repeat. */
export function reassigned(before: string | null, { assignee, expected }: Assigning): Reassigned | undefined {
  return expected === undefined || expected === before || assignee === before ? undefined : { assignedTo: before };
}

export function refuseReassigned(c: Context, { assignedTo: assignee }: Reassigned): Response {
  return problem(c, 409, 'REASSIGNED', assignee === null ? 'nobody has it now' : `${assignee} has it now`, { assignee });
}
