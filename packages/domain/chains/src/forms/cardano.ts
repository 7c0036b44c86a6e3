import { crc32 } from 'node:zlib';
import { base58, bech32 } from '@scure/base';
import { decoded } from './base58.ts';

const mainnet = 1;
/** Bytes after the header by the type in its upper half (CIP-19). A pointer has variable length. */
const lengths: Readonly<Record<number, (length: number) => boolean>> = {
  ...Object.fromEntries([0, 1, 2, 3].map((type) => [type, (length: number) => length === 56])),
  ...Object.fromEntries([4, 5].map((type) => [type, (length: number) => length >= 31 && length <= 43])),
  ...Object.fromEntries([6, 7].map((type) => [type, (length: number) => length === 28])),
};

/** A payment address of mainnet: Shelley's in lower case, or Byron's unchanged. Stake addresses receive no payment. */
export function parseCardanoAddress(text: string): string | undefined {
  return /^addr1/i.test(text) ? parseShelley(text) : isByron(text) ? text : undefined;
}

function parseShelley(text: string): string | undefined {
  if (text.length > 130) return undefined;
  const found = bech32.decodeUnsafe(text, false);
  const bytes = found && found.prefix === 'addr' ? bech32.fromWordsUnsafe(found.words) : undefined;
  const header = bytes?.[0];
  if (!bytes || header === undefined || (header & 0x0f) !== mainnet) return undefined;
  return lengths[header >> 4]?.(bytes.length - 1) === true ? text.toLowerCase() : undefined;
}

/** CBOR: an array of the payload, tagged 24 and in bytes, and its CRC-32. */
function isByron(text: string): boolean {
  if (text.length < 50 || text.length > 120 || !/^(Ae2|Ddz)/.test(text)) return false;
  const bytes = decoded(() => base58.decode(text));
  if (bytes === undefined || bytes[0] !== 0x82 || bytes[1] !== 0xd8 || bytes[2] !== 0x18 || bytes[3] !== 0x58) return false;
  const length = bytes[4] ?? 0;
  const payload = bytes.subarray(5, 5 + length);
  const rest = bytes.subarray(5 + length);
  return payload.length === length && uint(rest) === crc32(payload) && isOfMainnet(payload);
}

/** Of four bytes at most, as CBOR writes it at the end of the text. */
function uint(bytes: Uint8Array): number | undefined {
  const [head = 0xff] = bytes;
  if (head < 24) return bytes.length === 1 ? head : undefined;
  const size = { 0x18: 1, 0x19: 2, 0x1a: 4 }[head];
  if (size === undefined || bytes.length !== size + 1) return undefined;
  return bytes.subarray(1).reduce((number, byte) => number * 256 + byte, 0);
}

/** The root's 28 bytes, then attributes: none, or a derivation path. A test network names itself in attribute 2. */
function isOfMainnet(payload: Uint8Array): boolean {
  if (payload[0] !== 0x83 || payload[1] !== 0x58 || payload[2] !== 28) return false;
  const [map, key] = payload.subarray(31);
  return map === 0xa0 || (map === 0xa1 && key === 1);
}
