import { leafHash } from './hashes.ts';
import { commitment, type EntryMetadata, type EntryPayload, erasedSalt, isEmptyPayload, leafOf } from './leaf.ts';

/** An entry, whose payload may be erased. */
export interface LoggedEntry extends EntryMetadata, EntryPayload {
  /** The event of the act that erased the payload. The leaf does not have it: `ErasureCheck` compares it with the act. */
  readonly erased_by: string | null;
}

/** The stored parts of a leaf, beside its entry. */
export interface StoredLeaf {
  readonly salt: Uint8Array;
  /** Exports have it of erased entries only. */
  readonly commitment?: Buffer;
  readonly hash: Buffer;
}

/** Names the part of an entry that does not fit its leaf; undefined if all of it fits. */
export function entryProblem(entry: LoggedEntry, leaf: StoredLeaf): string | undefined {
  if (entry.erased_by !== null) return erasedProblem(entry, leaf);
  const { salt, commitment: stored, hash } = leaf;
  const made = commitment(salt, entry);
  const fits = leafHash(leafOf(entry, made)).equals(hash);
  if (stored === undefined) return fits ? undefined : 'is not the one of its leaf';
  if (fits) return made.equals(stored) ? undefined : 'has another commitment than the one stored';
  if (leafHash(leafOf(entry, stored)).equals(hash)) return 'has another payload or salt than its commitment';
  return made.equals(stored) ? 'has other metadata than its leaf, or the stored hash of the leaf is another' : 'is not the one of its leaf';
}

/** The commitment stands for the payload. */
function erasedProblem(entry: LoggedEntry, { salt, commitment: stored, hash }: StoredLeaf): string | undefined {
  if (stored === undefined || !leafHash(leafOf(entry, stored)).equals(hash)) return 'is erased, and is not the one of its leaf';
  if (!isEmptyPayload(entry)) return 'is marked as erased, and has a payload';
  return erasedSalt.equals(salt) ? undefined : 'is marked as erased, and has a salt';
}
