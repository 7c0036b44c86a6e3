import type { ReviewResolved, ScreeningRequested, ScreeningScored } from '@weir/contracts';

export interface RequestCause {
  readonly kind: 'requested';
  readonly event: ScreeningRequested;
}

/** An automatic cause of a decision. */
export type MachineCause =
  | RequestCause
  | { readonly kind: 'scored'; readonly event: ScreeningScored }
  /** No result came in time: the screening is held without one. */
  | { readonly kind: 'deadline'; readonly event: ScreeningRequested };

/** A cause of a decision: automatic, or a resolution by people. */
export type Cause = MachineCause | { readonly kind: 'resolved'; readonly event: ReviewResolved };

export function isMachine<C extends Cause>(cause: C): cause is Exclude<C, { readonly kind: 'resolved' }> {
  return cause.kind !== 'resolved';
}

/** Whether an allow is to be screened again. */
export function isRenewal(cause: Cause): cause is RequestCause {
  return cause.kind === 'requested' && cause.event.renews_revision !== null;
}

export function causeName(cause: Cause): string {
  if (cause.kind === 'resolved') return `resolved/${cause.event.resolution_id}`;
  if (cause.kind === 'scored') return `scored/${cause.event.attempt}/${cause.event.sequence}`;
  const { renews_revision } = cause.event;
  return renews_revision === null ? cause.kind : `${cause.kind}/renews/${renews_revision}`;
}
