import type { SignedCheckpoint } from '../checkpoints.ts';

/** A place outside the installation that keeps checkpoints. */
export interface Anchor {
  /** `file:…`, `webhook:…`, `s3:…` or `witness:…`, without anything secret of its address. */
  readonly name: string;
  /** Resolves when the place has the checkpoint. Rejects with an AnchorError. */
  keep(checkpoint: SignedCheckpoint, growth: Growth): Promise<string>;
}

/** How the tree has grown since a checkpoint that the place knows. */
export interface Growth {
  /** Leaves of the checkpoint that the place has kept last; 0 before the first. */
  readonly from: number;
  /** RFC 6962: that the tree of the checkpoint begins with the tree of `from` leaves. */
  proofFrom(from: number): Promise<readonly Buffer[]>;
}

/** A place did not keep a checkpoint. The message has nothing of an address or an answer. */
export class AnchorError extends Error {
  readonly code = 'AUDIT_ANCHOR_FAILED';
  readonly retriable = true;
}

/** Enough for a small file on a slow network. */
export const anchorTimeoutMs = 10_000;

/** By size, so that a list of the names is in order. A log that began after a restore has sizes that its predecessor has signed too. */
export function nameOfCopy({ size, note }: SignedCheckpoint): string {
  const restored = /-r\d+$/.exec(note.split('\n', 1)[0] ?? '')?.[0] ?? '';
  return `checkpoint-${String(size).padStart(16, '0')}${restored}`;
}

/** A place has another checkpoint of this size. */
export function otherCopy(size: number): AnchorError {
  return new AnchorError(`it has another checkpoint of ${size} leaves: somebody else writes there, or the log was rewritten`);
}
