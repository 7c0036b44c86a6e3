import { leafHash } from './hashes.ts';
import { commitment, type EntryMetadata, type EntryPayload, leafOf } from './leaf.ts';

/** The stored parts of a leaf, beside its entry. */
export interface StoredLeaf {
  readonly salt: Uint8Array;
  /** Absent in exports. */
  readonly commitment?: Buffer;
  readonly hash: Buffer;
}

/** Names the part of an entry that does not fit its leaf; undefined if all of it fits. */
export function entryProblem(entry: EntryMetadata & EntryPayload, { salt, commitment: stored, hash }: StoredLeaf): string | undefined {
  const made = commitment(salt, entry);
  const fits = leafHash(leafOf(entry, made)).equals(hash);
  if (stored === undefined) return fits ? undefined : 'is not the one of its leaf';
  if (fits) return made.equals(stored) ? undefined : 'has another commitment than the one stored';
  if (leafHash(leafOf(entry, stored)).equals(hash)) return 'has another payload or salt than its commitment';
  return made.equals(stored) ? 'has other metadata than its leaf, or the stored hash of the leaf is another' : 'is not the one of its leaf';
}
