import { type Chain, formsOf } from './chain.ts';

const uint32 = 4_294_967_295;
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const isPrintable = (text: string): boolean => text !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text);

/** Bytes of UTF-8. A longer comment of TON would need a second cell, which exchanges do not read. */
const longest = { stellar_memo: 28, ton_comment: 123, cosmos_memo: 256 } as const;

/**
 * The normalised memo, or undefined when it cannot be one of the chain. XRP: the destination tag, 0 to 2^32 - 1 without leading zeros.
 * Stellar: a text of up to 28 bytes (an id is its digits), or a hash of 64 hex digits, then in lower case. TON, Cosmos: text.
 */
export function parseMemo(chain: Chain, text: string): string | undefined {
  const { memo } = formsOf(chain);
  if (memo === undefined || !isPrintable(text)) return undefined;
  if (memo === 'xrp_tag') return /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) <= uint32 ? text : undefined;
  if (memo === 'stellar_memo' && /^[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase();
  return bytesOf(text) <= longest[memo] ? text : undefined;
}

const inWords = {
  xrp_tag: 'a destination tag is a whole number from 0 to 4294967295',
  stellar_memo: 'a memo is a text of up to 28 bytes, an id, or a hash of 64 hex digits',
  ton_comment: 'a comment is a text of up to 123 bytes',
  cosmos_memo: 'a memo is a text of up to 256 bytes',
} as const;

/** What a memo of the chain is, in words; undefined when it has none. */
export function memoForm(chain: Chain): string | undefined {
  const { memo } = formsOf(chain);
  return memo === undefined ? undefined : inWords[memo];
}
