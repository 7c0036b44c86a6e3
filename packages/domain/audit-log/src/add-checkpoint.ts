import { hashLength } from './hashes.ts';
import { NoteError } from './note.ts';

/** A request to a witness (C2SP tlog-witness, add-checkpoint). */
export interface AddCheckpoint {
  /** Leaves of the last checkpoint that the witness has cosigned; 0 before the first. */
  readonly old: number;
  /** RFC 6962: that the tree of the checkpoint begins with the tree of `old` leaves. Empty for 0. */
  readonly proof: readonly Buffer[];
  /** The signed checkpoint. */
  readonly note: string;
}

/** More would prove a tree of more than 2^63 leaves. */
const longestProof = 63;

export function formatAddCheckpoint({ old, proof, note }: AddCheckpoint): string {
  return `old ${old}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${note}`;
}

/** Reads a request without verifying it. Throws a NoteError with `NOTE_MALFORMED`. */
export function parseAddCheckpoint(text: string): AddCheckpoint {
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const [, digits] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? [];
  const proof = lines.map((line) => Buffer.from(line, 'base64'));
  const isWhole =
    digits !== undefined &&
    Number.isSafeInteger(Number(digits)) &&
    proof.length <= longestProof &&
    proof.every((hash, n) => hash.length === hashLength && hash.toString('base64') === lines[n]);
  if (!isWhole)
    throw new NoteError('NOTE_MALFORMED', 'this is not a request to a witness: "old SIZE", lines of a proof, an empty line, a checkpoint');
  return { old: Number(digits), proof, note: text.slice(end + 2) };
}
