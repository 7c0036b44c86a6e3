import { bech32 } from '@scure/base';

const charset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const prefix = 'bitcoincash';
const checksumWords = 8;
/** Hash bytes by the three lowest bits of the version byte. */
const sizes = [20, 24, 28, 32, 40, 48, 56, 64];
const generators = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** The checksum of the CashAddr specification: a BCH code over 40 bits. */
function polymod(values: readonly number[]): bigint {
  let c = 1n;
  for (const value of values) {
    const top = Number(c >> 35n);
    c = ((c & 0x07ffffffffn) << 5n) ^ BigInt(value);
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) c ^= generator;
  }
  return c ^ 1n;
}

const prefixWords = prefix
  .split('')
  .map((letter) => letter.charCodeAt(0) & 31)
  .concat(0);

/** `type`: 0 for P2PKH, 1 for P2SH. */
export function toCashAddress(type: number, hash: Uint8Array): string {
  const version = (type << 3) | sizes.indexOf(hash.length);
  const payload = bech32.toWords(Uint8Array.of(version, ...hash));
  const sum = polymod([...prefixWords, ...payload, ...Array<number>(checksumWords).fill(0)]);
  const checksum = Array.from({ length: checksumWords }, (_, n) => Number((sum >> BigInt(5 * (checksumWords - 1 - n))) & 31n));
  return `${prefix}:${[...payload, ...checksum].map((word) => charset[word]).join('')}`;
}

/**
 * Lower case, with the prefix, which may be missing. P2PKH and P2SH of mainnet. The forms with token support (`z…`, types 2 and 3) are of the
 * same script, and become the plain ones.
 */
export function parseCashAddress(text: string): string | undefined {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return undefined;
  const lower = text.toLowerCase();
  const body = lower.startsWith(`${prefix}:`) ? lower.slice(prefix.length + 1) : lower;
  if (!/^[02-9ac-hj-np-z]{42,112}$/.test(body)) return undefined;
  const values = body.split('').map((letter) => charset.indexOf(letter));
  if (polymod([...prefixWords, ...values]) !== 0n) return undefined;
  const payload = bech32.fromWordsUnsafe(values.slice(0, -checksumWords));
  const version = payload?.[0];
  if (payload === undefined || version === undefined || version >> 3 > 3 || payload.length - 1 !== sizes[version & 7]) return undefined;
  return toCashAddress((version >> 3) & 1, payload.subarray(1));
}
