import {
  NoteError,
  NoteKeyError,
  openCheckpoint,
  type OpenedCheckpoint,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
} from '@weir/audit-log';

/** A signed checkpoint, and where it was found. */
export interface NamedCheckpoint {
  /** Such as `the checkpoint of the file`. */
  readonly name: string;
  readonly note: string;
}

/** As written, not yet verified; -1 where there is none. */
export function sizeOf({ note }: NamedCheckpoint): number {
  const size = Number(note.split('\n')[1] ?? '');
  return Number.isSafeInteger(size) && size >= 0 ? size : -1;
}

/** Entries that a checkpoint of this installation covers; 0 without one. Throws `NoteError` if it cannot be read. */
export function coveredBy(signed: { readonly checkpoint: string } | undefined): number {
  return signed === undefined ? 0 : parseCheckpoint(parseNote(signed.checkpoint).text).size;
}

/** Verifies the signature, and the tree against the roots that were computed. Undefined after a problem. */
export function checkCheckpoint(
  { name, note }: NamedCheckpoint,
  keys: readonly string[],
  roots: ReadonlyMap<number, Buffer>,
  onProblem: (text: string) => void,
): OpenedCheckpoint | undefined {
  const opened = openSigned({ name, note }, keys, onProblem);
  if (opened === undefined) return undefined;
  const root = roots.get(opened.size);
  if (root?.equals(opened.root) === true) return opened;
  onProblem(
    root === undefined
      ? `${name} is over ${opened.size} entries, and there are fewer`
      : `${name} is over another tree of ${opened.size} entries`,
  );
  return undefined;
}

/** Verifies the signature alone. */
export function openSigned(
  { name, note }: NamedCheckpoint,
  keys: readonly string[],
  onProblem: (text: string) => void,
): OpenedCheckpoint | undefined {
  try {
    return openCheckpoint(note, keys.map(parseVerifierKey));
  } catch (error) {
    if (!(error instanceof NoteError || error instanceof NoteKeyError)) throw error;
    onProblem(`${name}: ${error.message}`);
    return undefined;
  }
}
