import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const codec = createBase58check(sha256);
// 25 bytes need at most 35 digits. Base58 decoding is quadratic, so longer text is rejected first.
const shape = /^[1-9A-HJ-NP-Za-km-z]{25,35}$/;
const payloadBytes = 21;

/** Returns `text` unchanged if checksum and version byte are valid. */
export function parseBase58Address(text: string, versions: readonly number[]): string | undefined {
  if (!shape.test(text)) return undefined;
  let payload: Uint8Array;
  try {
    payload = codec.decode(text);
  } catch {
    return undefined;
  }
  const version = payload[0];
  if (payload.length !== payloadBytes || version === undefined) return undefined;
  return versions.includes(version) ? text : undefined;
}

export function encodeBase58Address(version: number, hash: Uint8Array): string {
  return codec.encode(Uint8Array.of(version, ...hash));
}
