import { bech32, bech32m } from '@scure/base';

const maxLength = 90;

type Decoded = ReturnType<typeof bech32.decode>;

function decode(text: string): { decoded: Decoded; variant: 'bech32' | 'bech32m' } | undefined {
  const asBech32 = bech32.decodeUnsafe(text, maxLength);
  if (asBech32) return { decoded: asBech32, variant: 'bech32' };
  const asBech32m = bech32m.decodeUnsafe(text, maxLength);
  return asBech32m ? { decoded: asBech32m, variant: 'bech32m' } : undefined;
}

function lengthFits(version: number, length: number): boolean {
  return version === 0 ? length === 20 || length === 32 : length >= 2 && length <= 40;
}

/**
 * Lower case. BIP-173 version 0: Bech32, 20 or 32 bytes. BIP-350 versions 1 to 16: Bech32m, 2 to 40 bytes. No mixed case.
 * `prefix`: `bc` of Bitcoin, `ltc` of Litecoin.
 */
export function parseSegwitAddress(text: string, prefix: 'bc' | 'ltc'): string | undefined {
  const found = decode(text);
  if (found === undefined || found.decoded.prefix !== prefix) return undefined;
  const [version, ...words] = found.decoded.words;
  if (version === undefined || version > 16) return undefined;
  if (found.variant !== (version === 0 ? 'bech32' : 'bech32m')) return undefined;
  const program = bech32.fromWordsUnsafe(words);
  return program && lengthFits(version, program.length) ? text.toLowerCase() : undefined;
}
