import { cosignedMessage, isKeyName, type SignerKey, type VerifierKey } from './keys.ts';

interface NoteSignature {
  readonly name: string;
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly signature: Buffer;
}

/** A note of C2SP signed-note, not yet verified. */
export interface Note {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface OpenedNote {
  readonly text: string;
  /** Keys that signed the note. Not empty. */
  readonly signers: readonly VerifierKey[];
  /** By keys that the reader does not know. */
  readonly unverified: readonly NoteSignature[];
}

export class NoteError extends Error {
  readonly code: 'NOTE_MALFORMED' | 'NOTE_SIGNATURE_INVALID' | 'NOTE_UNSIGNED';
  readonly retriable = false;

  constructor(code: NoteError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const longest = 1_000_000;
const mostSignatures = 100;
const separator = '\n\n';

/** Throws a NoteError with `NOTE_MALFORMED`. */
export function parseNote(note: string): Note {
  const end = note.lastIndexOf(separator);
  if (note.length > longest || end < 0 || !isPlain(note) || !note.endsWith('\n')) throw malformed();
  const lines = note.slice(end + separator.length, -1).split('\n');
  if (lines.length > mostSignatures) throw malformed();
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

/** Signs a text, which must end with a newline. */
export function signNote(text: string, signers: readonly SignerKey[]): string {
  return assembleNote(
    text,
    signers.map((signer) => ({ verifier: signer.verifier, signature: signer.sign(text) })),
  );
}

/** A note with signatures that were made elsewhere, over the bytes of the text. */
export function assembleNote(text: string, signatures: readonly { verifier: VerifierKey; signature: Buffer }[]): string {
  if (!text.endsWith('\n') || !isPlain(text)) throw new NoteError('NOTE_MALFORMED', 'the text of a note must be lines of text');
  return `${text}\n${signatures.map(({ verifier, signature }) => line(verifier, signature)).join('')}`;
}

/** Adds the signature of a witness, whose key has the algorithm `cosignature`. `seconds` since 1970. */
export function cosignNote(note: string, signer: SignerKey, seconds: number): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  return `${note}${line(signer.verifier, Buffer.concat([time, signer.sign(cosignedMessage(parseNote(note).text, BigInt(seconds)))]))}`;
}

/**
 * Verifies a note with any of several keys, for example the log's before and after a rotation. A wrong signature of a known key refuses the
 * note, and so does the lack of any known key. Throws a NoteError.
 */
export function openNote(note: string, keys: readonly VerifierKey[]): OpenedNote {
  const { text, signatures } = parseNote(note);
  const signers = new Set<VerifierKey>();
  const unverified: NoteSignature[] = [];
  for (const signature of signatures) {
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.id);
    if (key === undefined) unverified.push(signature);
    else if (key.verify(text, signature.signature)) signers.add(key);
    else throw new NoteError('NOTE_SIGNATURE_INVALID', `the signature of ${key.name}+${key.id} is wrong`);
  }
  if (signers.size === 0) throw new NoteError('NOTE_UNSIGNED', 'no known key has signed the note');
  return { text, signers: [...signers], unverified };
}

function line(verifier: VerifierKey, signature: Buffer): string {
  return `— ${verifier.name} ${Buffer.concat([Buffer.from(verifier.id, 'hex'), signature]).toString('base64')}\n`;
}

function parseSignature(text: string): NoteSignature {
  const [dash, name = '', base64 = '', ...more] = text.split(' ');
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = dash === '—' && isKeyName(name) && bytes.length > 4 && bytes.toString('base64') === base64 && more.length === 0;
  if (!isWhole) throw malformed();
  return { name, id: bytes.subarray(0, 4).toString('hex'), signature: bytes.subarray(4) };
}

/** Of the characters below a space only newlines are allowed. U+FFFD stands where the bytes were not UTF-8. */
function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return text.isWellFormed() && !/[\0-\x09\x0b-\x1f]/.test(text);
}

function malformed(): NoteError {
  return new NoteError('NOTE_MALFORMED', 'this is not a signed note');
}
