import { bech32 } from '@scure/base';

const prefix = 'cosmos';
/** Of an account's key, and of a module's or a contract's. */
const lengths = [20, 32];

/** Lower case. */
export function parseCosmosAddress(text: string): string | undefined {
  const found = bech32.decodeUnsafe(text, 90);
  if (!found || found.prefix !== prefix) return undefined;
  const bytes = bech32.fromWordsUnsafe(found.words);
  return bytes && lengths.includes(bytes.length) ? text.toLowerCase() : undefined;
}
