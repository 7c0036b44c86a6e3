export { type AddCheckpoint, formatAddCheckpoint, parseAddCheckpoint } from './add-checkpoint.ts';
export { type Checkpoint, checkpointText, openCheckpoint, type OpenedCheckpoint, parseCheckpoint, signCheckpoint } from './checkpoint.ts';
export { entryProblem, type LoggedEntry, type StoredLeaf } from './entry-problem.ts';
export { type ErasureAct, ErasureCheck } from './erasures.ts';
export { appendLeaves, emptyFrontier, type Frontier, type Grown, isFrontier, rootOf, type TileNode } from './frontier.ts';
export { emptyRoot, hashLength, leafHash, nodeHash } from './hashes.ts';
export {
  createSignerKey,
  createVerifierKey,
  NoteKeyError,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
  type VerifierKey,
} from './keys.ts';
export { commitment, type EntryMetadata, type EntryPayload, erasedSalt, leafOf, missingLeaf, saltLength } from './leaf.ts';
export { assembleNote, cosignNote, NoteError, openNote, parseNote, signNote } from './note.ts';
export {
  consistencyProof,
  type HashSpan,
  hashesOfConsistency,
  hashesOfInclusion,
  hashesOfRoot,
  inclusionProof,
  type ReadHash,
  treeRoot,
} from './proofs.ts';
export { entryBundle, parseTilePath, type Tile, tilePath, tileWidth, widthOf } from './tiles.ts';
export { formatRanges, parseRanges, type Range } from './ranges.ts';
export { TreeBuilder } from './tree-builder.ts';
export { verifyConsistency, verifyInclusion } from './verify.ts';
