import { sha256 } from '@noble/hashes/sha2.js';
import { base58xrp } from '@scure/base';
import type { Account } from './account.ts';
import { decoded } from './base58.ts';

const accountVersion = 0x00;
/** Of an X-address on mainnet (XLS-5). */
const xVersion = [0x05, 0x44];
const checksumBytes = 4;

function checksum(payload: Uint8Array): Uint8Array {
  return sha256(sha256(payload)).subarray(0, checksumBytes);
}

function encode(payload: Uint8Array): string {
  return base58xrp.encode(Uint8Array.of(...payload, ...checksum(payload)));
}

function decode(text: string): Uint8Array | undefined {
  if (text.length < 25 || text.length > 50) return undefined;
  const bytes = decoded(() => base58xrp.decode(text));
  if (bytes === undefined) return undefined;
  const payload = bytes.subarray(0, -checksumBytes);
  const sum = checksum(payload);
  return sum.every((byte, n) => byte === bytes[payload.length + n]) ? payload : undefined;
}

/** A classic address, or an X-address, which becomes its classic address and its destination tag. */
export function parseXrpAccount(text: string): Account | undefined {
  const payload = decode(text);
  if (payload === undefined) return undefined;
  if (payload.length === 21 && payload[0] === accountVersion) return { address: text };
  if (payload.length !== 31 || xVersion.some((byte, n) => payload[n] !== byte)) return undefined;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const [flag, tag, unused] = [view.getUint8(22), view.getUint32(23, true), view.getUint32(27, true)];
  if (unused !== 0 || flag > 1 || (flag === 0 && tag !== 0)) return undefined;
  const address = encode(Uint8Array.of(accountVersion, ...payload.subarray(2, 22)));
  return flag === 1 ? { address, memo: String(tag) } : { address };
}
