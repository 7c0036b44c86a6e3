import { hashLength } from './hashes.ts';
import { NoteError, type OpenedNote, openNote, signNote } from './note.ts';
import type { SignerKey, VerifierKey } from './keys.ts';

/** The state of a log that its key has signed (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** Name of the log. */
  readonly origin: string;
  /** Leaves in the tree. */
  readonly size: number;
  readonly root: Buffer;
}

export interface OpenedCheckpoint extends Checkpoint {
  readonly signers: OpenedNote['signers'];
}

export function signCheckpoint(checkpoint: Checkpoint, signers: readonly SignerKey[]): string {
  return signNote(checkpointText(checkpoint), signers);
}

/** The text that signatures cover. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** Verifies and reads a signed checkpoint. Extension lines are signed and ignored. Throws a NoteError. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): OpenedCheckpoint {
  const { text, signers } = openNote(note, keys);
  const checkpoint = parseCheckpoint(text);
  // A key of a witness alone does not speak for the log.
  const own = signers.filter(({ name, algorithm }) => name === checkpoint.origin && algorithm === 'ed25519');
  if (own.length === 0) throw new NoteError('NOTE_UNSIGNED', `no known key of ${checkpoint.origin} has signed its checkpoint`);
  return { ...checkpoint, signers };
}

/** Reads the text of a checkpoint without its signatures. Throws a NoteError with `NOTE_MALFORMED`. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', base64 = '', ...rest] = text.split('\n');
  const root = Buffer.from(base64, 'base64');
  const isWhole =
    origin !== '' &&
    /^(0|[1-9]\d{0,15})$/.test(size) &&
    Number.isSafeInteger(Number(size)) &&
    root.length === hashLength &&
    root.toString('base64') === base64 &&
    rest.at(-1) === '' &&
    rest.slice(0, -1).every((extension) => extension !== '');
  if (!isWhole) throw new NoteError('NOTE_MALFORMED', 'this is not a checkpoint');
  return { origin, size: Number(size), root };
}
