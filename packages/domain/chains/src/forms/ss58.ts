import { blake2b } from '@noble/hashes/blake2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { decoded } from './base58.ts';

const polkadot = 0;
const salt = utf8ToBytes('SS58PRE');

/** An account of Polkadot's relay chain: SS58 with prefix 0, 32 bytes and 2 bytes of checksum. */
export function parsePolkadotAddress(text: string): string | undefined {
  if (text.length < 44 || text.length > 50) return undefined;
  const bytes = decoded(() => base58.decode(text));
  if (bytes?.length !== 35 || bytes[0] !== polkadot) return undefined;
  const sum = blake2b(Uint8Array.of(...salt, ...bytes.subarray(0, 33)), { dkLen: 64 });
  return bytes[33] === sum[0] && bytes[34] === sum[1] ? text : undefined;
}
