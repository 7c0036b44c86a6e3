import { isDeepStrictEqual } from 'node:util';
import type { ReviewResolved } from '@weir/contracts';
import { isSamePerson } from './person.ts';
import { eventOf, type StoredResolution } from './resolution.ts';
import { needsApproval, type ReviewState, whyNotResolvable } from './rules.ts';

export interface ResolutionProblem {
  readonly reason:
    | 'UNKNOWN_RESOLUTION'
    | 'RESOLUTION_NOT_APPROVED'
    | 'RESOLUTION_DIFFERS'
    | 'SAME_PERSON'
    | 'APPROVAL_MISSING'
    | 'NOT_RESOLVABLE';
  readonly detail: string;
}

/** Compares an event with its stored resolution, since anybody with write access to the topic can send one. */
export function whyNotStored(event: ReviewResolved, stored: StoredResolution | undefined): ResolutionProblem | undefined {
  if (stored === undefined) return { reason: 'UNKNOWN_RESOLUTION', detail: 'the console has stored no such resolution' };
  if (stored.answer !== 'approved') return { reason: 'RESOLUTION_NOT_APPROVED', detail: 'the stored resolution is not approved' };
  if (!isDeepStrictEqual({ ...event }, eventOf(stored))) {
    return { reason: 'RESOLUTION_DIFFERS', detail: 'it says something else than the stored resolution' };
  }
  return undefined;
}

/** Applies the console's rules again, to the screening as decision knows it. */
export function whyNotApplicable(
  stored: StoredResolution,
  state: ReviewState,
  { reviewSingleBelowUsd }: { readonly reviewSingleBelowUsd: string },
): ResolutionProblem | undefined {
  const { action, answered_by, answered_by_name, needs_approval } = stored;
  const why = whyNotResolvable(state, action);
  if (why !== undefined) return { reason: 'NOT_RESOLVABLE', detail: why === 'NOT_HELD' ? 'it is not held' : 'it is held already' };
  if (answered_by === null) {
    const isMissing = needs_approval || needsApproval(state, action, reviewSingleBelowUsd);
    return isMissing ? { reason: 'APPROVAL_MISSING', detail: 'a second person must approve it' } : undefined;
  }
  const resolver = { id: stored.resolved_by, name: stored.resolved_by_name };
  if (isSamePerson(resolver, { id: answered_by, name: answered_by_name ?? '' })) {
    return { reason: 'SAME_PERSON', detail: 'who resolved it approved it' };
  }
  return undefined;
}
