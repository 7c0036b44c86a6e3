/** An Ed25519 key that a key management service keeps. It never leaves the service. */
export interface RemoteKey {
  /** 32 bytes. Rejects with a RemoteKeyError. */
  publicKey(): Promise<Buffer>;
  /** 64 bytes over the message itself (RFC 8032, pure Ed25519). Rejects with a RemoteKeyError. */
  sign(message: Buffer): Promise<Buffer>;
}

/** The service refused, or could not be reached. The message has nothing of a token or an answer. */
export class RemoteKeyError extends Error {
  readonly code = 'AUDIT_KMS_FAILED';
  readonly retriable = true;
}

/** A signature takes tens of milliseconds. */
export const remoteKeyTimeoutMs = 10_000;

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The 32 bytes of a SubjectPublicKeyInfo of Ed25519 (RFC 8410). Throws a RemoteKeyError for another kind of key. */
export function rawPublicKey(der: Buffer): Buffer {
  if (der.length !== spkiPrefix.length + 32 || !der.subarray(0, spkiPrefix.length).equals(spkiPrefix))
    throw new RemoteKeyError('the key is not of Ed25519');
  return der.subarray(spkiPrefix.length);
}
