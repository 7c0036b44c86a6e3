import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from './hashes.ts';

/** Signature types of C2SP signed-note. A cosignature also signs its time. */
const algorithms = { ed25519: 1, cosignature: 4 } as const;
type Algorithm = keyof typeof algorithms;

/** A key that verifies signatures of notes. */
export interface VerifierKey {
  readonly name: string;
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly algorithm: Algorithm;
  /** As other tools read it: `name+id+base64`. */
  readonly text: string;
  verify(message: string, signature: Buffer): boolean;
}

/** A key that signs notes. Its text is a secret. */
export interface SignerKey {
  readonly verifier: VerifierKey;
  /** As other tools read it: `PRIVATE+KEY+name+id+base64`. */
  readonly text: string;
  /** Ed25519 over the bytes. */
  sign(message: string): Buffer;
}

/** A key is in no known form. The message never contains the key. */
export class NoteKeyError extends Error {
  readonly code = 'AUDIT_KEY_MALFORMED';
  readonly retriable = false;
}

/** Reads `name+id+base64`, the form of sumdb/note. Throws a NoteKeyError. */
export function parseVerifierKey(text: string): VerifierKey {
  const { name, id, type, key } = parseKey(text, 'a verifier key');
  const verifier = verifierKey(name, algorithmOf(type, 'a verifier key'), key);
  if (verifier.id !== id) throw new NoteKeyError('a verifier key has another id than its bytes');
  return verifier;
}

/** Reads `PRIVATE+KEY+name+id+base64`, the form of sumdb/note. Throws a NoteKeyError. */
export function parseSignerKey(text: string): SignerKey {
  const prefix = 'PRIVATE+KEY+';
  if (!text.startsWith(prefix)) throw new NoteKeyError(`a signing key does not begin with ${prefix}`);
  const { name, id, type, key } = parseKey(text.slice(prefix.length), 'a signing key');
  const signer = createSignerKey(name, key, algorithmOf(type, 'a signing key'));
  if (signer.verifier.id !== id) throw new NoteKeyError('a signing key has another id than its bytes');
  return signer;
}

/** An Ed25519 key from 32 random bytes. Throws a NoteKeyError for a name that a note cannot have. */
export function createSignerKey(name: string, seed: Buffer, algorithm: Algorithm = 'ed25519'): SignerKey {
  if (!isKeyName(name)) throw wrongName();
  // PKCS #8 around the seed (RFC 8410).
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const verifier = verifierKey(name, algorithm, publicKey);
  const text = `PRIVATE+KEY+${name}+${verifier.id}+${Buffer.of(algorithms[algorithm], ...seed).toString('base64')}`;
  return { verifier, text, sign: (message) => sign(null, Buffer.from(message), key) };
}

/** From the 32 bytes of an Ed25519 key. Throws a NoteKeyError for a name that a note cannot have. */
export function createVerifierKey(name: string, publicKey: Buffer): VerifierKey {
  if (!isKeyName(name)) throw wrongName();
  if (publicKey.length !== 32) throw new NoteKeyError('an Ed25519 key has 32 bytes');
  return verifierKey(name, 'ed25519', publicKey);
}

function wrongName(): NoteKeyError {
  return new NoteKeyError('the name of a key must have a character, and neither "+" nor white space');
}

export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\s\u0085+]/u.test(name);
}

/** The bytes that a cosignature signs: when, and the whole note (C2SP tlog-cosignature). */
export function cosignedMessage(message: string, seconds: bigint): string {
  return `cosignature/v1\ntime ${seconds}\n${message}`;
}

function verifierKey(name: string, algorithm: Algorithm, publicKey: Buffer): VerifierKey {
  const bytes = Buffer.of(algorithms[algorithm], ...publicKey);
  const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), bytes]))
    .subarray(0, 4)
    .toString('hex');
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return { name, id, algorithm, text: `${name}+${id}+${bytes.toString('base64')}`, verify: verifyWith(key, algorithm) };
}

function verifyWith(key: KeyObject, algorithm: Algorithm): VerifierKey['verify'] {
  if (algorithm === 'ed25519') return (message, signature) => signature.length === 64 && verify(null, Buffer.from(message), key, signature);
  return (message, signature) => {
    if (signature.length !== 72) return false;
    const signed = cosignedMessage(message, signature.readBigUInt64BE());
    return verify(null, Buffer.from(signed), key, signature.subarray(8));
  };
}

function algorithmOf(type: number, what: string): Algorithm {
  const algorithm = (Object.keys(algorithms) as Algorithm[]).find((known) => algorithms[known] === type);
  if (algorithm === undefined) throw new NoteKeyError(`${what} has the unknown type ${type}`);
  return algorithm;
}

function parseKey(text: string, what: string): { name: string; id: string; type: number; key: Buffer } {
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  const [, name = '', id = '', base64 = ''] = match ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = match !== null && isKeyName(name) && bytes.length === 33 && bytes.toString('base64') === base64;
  if (!isWhole) throw new NoteKeyError(`${what} must be name+id+base64 of 33 bytes`);
  return { name, id, type: bytes[0] ?? 0, key: bytes.subarray(1) };
}
