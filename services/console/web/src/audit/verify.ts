import type { AuditEntryView } from '../api/types.ts';

/** What a browser can verify of one event, each by itself. */
export interface Proof {
  /** It is the event asked for, and its content gives the commitment of the leaf; of an erased one, the leaf alone is verified. */
  readonly isContent: boolean;
  /** The leaf stands at its index of the tree. */
  readonly isIncluded: boolean;
  /** A key of the log signed the tree. Null: this browser cannot tell. */
  readonly isSigned: boolean | null;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** Names behind the text. */
  readonly signers: readonly string[];
}

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
/** Signature type of C2SP signed-note. */
const ed25519 = 1;

/**
 * Verifies the entry of the event `id` against its own checkpoint and the keys that the log gives, one a line. Malformed input verifies nothing,
 * nor does the entry of another event.
 */
export async function verifyEntry(id: string, entry: AuditEntryView, keys: string): Promise<Proof> {
  const [isContent, isIncluded, isSigned] = await Promise.all([isCommitted(entry), isInTree(entry), isSignedNote(entry.checkpoint, keys)]);
  return { isContent: isContent && entry.event_id === id, isIncluded, isSigned };
}

/** The text of a note (C2SP tlog-checkpoint), unverified. */
export function readCheckpoint(note: string): Checkpoint {
  const [text, ...lines] = parts(note);
  const [origin = '', size = '', root = ''] = text.split('\n');
  return { origin, size: Number(size), root, signers: lines.map(({ name }) => name) };
}

/** Whether a key of the log itself signed the note with Ed25519. Null: this browser does not know Ed25519. */
export async function isSignedNote(note: string, keys: string): Promise<boolean | null> {
  try {
    const [text, ...signatures] = parts(note);
    const origin = text.split('\n', 1)[0];
    for (const line of keys.split('\n').filter((key) => key !== '')) {
      const [name = '', id = '', ...rest] = line.split('+');
      const [type, ...key] = fromBase64(rest.join('+'));
      if (type !== ed25519 || name !== origin) continue;
      const verifier = await crypto.subtle.importKey('raw', Uint8Array.from(key), 'Ed25519', false, ['verify']);
      for (const signature of signatures.filter((own) => own.name === name && hex(own.bytes.slice(0, 4)) === id)) {
        if (await crypto.subtle.verify('Ed25519', verifier, signature.bytes.slice(4), encoder.encode(text))) return true;
      }
    }
    return false;
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError' ? null : false;
  }
}

async function isCommitted(entry: AuditEntryView): Promise<boolean> {
  try {
    const { key, headers, screening_id, salt, value_base64, leaf, leaf_hash: stored, erased_by: erasedBy } = entry;
    const names = Object.keys(headers).toSorted();
    const line = JSON.stringify({ headers: names.map((name) => [name, headers[name]]), key, screening_id });
    const payload = await sha256(fromBase64(salt), encoder.encode(`${line}\n`), fromBase64(value_base64));
    const own = JSON.parse(leaf) as Record<string, unknown>;
    const isSame = (['event_id', 'conflicts_with', 'topic', 'log_partition', 'log_offset', 'event_time', 'recorded_at'] as const).every(
      (name) => own[name] === entry[name],
    );
    const isGiven = erasedBy !== null || own['commitment'] === hex(payload);
    return isSame && isGiven && toBase64(await sha256(Uint8Array.of(0), encoder.encode(leaf))) === stored;
  } catch {
    return false;
  }
}

/** RFC 9162, section 2.1.3.2, with the root that the checkpoint signs. */
async function isInTree({ index, leaf_hash: leaf, tree_size: size, inclusion_proof: proof, checkpoint }: AuditEntryView): Promise<boolean> {
  try {
    const signed = readCheckpoint(checkpoint);
    if (signed.size !== size || index >= size) return false;
    let [at, last, hash] = [index, size - 1, fromBase64(leaf)];
    for (const text of proof) {
      if (last === 0) return false;
      const sibling = fromBase64(text);
      const isRight = at % 2 === 1 || at === last;
      hash = await (isRight ? sha256(Uint8Array.of(1), sibling, hash) : sha256(Uint8Array.of(1), hash, sibling));
      while (isRight && at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
      [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    }
    return last === 0 && toBase64(hash) === signed.root;
  } catch {
    return false;
  }
}

function parts(note: string): [text: string, ...signatures: { readonly name: string; readonly bytes: Bytes }[]] {
  const end = note.indexOf('\n\n') + 1;
  const lines = note
    .slice(end + 1)
    .split('\n')
    .filter((line) => line !== '');
  const signatures = lines.map((line) => {
    const [, name = '', signature = ''] = line.split(' ');
    return { name, bytes: fromBase64(signature) };
  });
  return [note.slice(0, end), ...signatures];
}

async function sha256(...of: readonly Bytes[]): Promise<Bytes> {
  const all = new Uint8Array(of.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of of) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all));
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function toBase64(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes));
}

function hex(bytes: Bytes): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
