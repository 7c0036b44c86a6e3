import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';

const codec = createBase58check(sha256);
// 25 bytes need at most 35 digits. Base58 decoding is quadratic, so longer text is rejected first.
const shape = /^[1-9A-HJ-NP-Za-km-z]{25,35}$/;
const payloadBytes = 21;

/** A version byte and 20 bytes of hash, behind a valid checksum. */
export function decodeBase58Address(text: string): { readonly version: number; readonly hash: Uint8Array } | undefined {
  if (!shape.test(text)) return undefined;
  const payload = decoded(() => codec.decode(text));
  const version = payload?.[0];
  return version === undefined || payload?.length !== payloadBytes ? undefined : { version, hash: payload.subarray(1) };
}

/** Returns `text` unchanged if checksum and version byte are valid. */
export function parseBase58Address(text: string, versions: readonly number[]): string | undefined {
  const address = decodeBase58Address(text);
  return address !== undefined && versions.includes(address.version) ? text : undefined;
}

export function encodeBase58Address(version: number, hash: Uint8Array): string {
  return codec.encode(Uint8Array.of(version, ...hash));
}

/** Base58 without a checksum, of exactly that many bytes, unchanged. */
export function parseBase58Bytes(text: string, length: 32 | 64): string | undefined {
  if (text.length < length || text.length > Math.ceil(length * 1.37)) return undefined;
  return decoded(() => base58.decode(text))?.length === length ? text : undefined;
}

/** The libraries throw for every malformed text. */
export function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
