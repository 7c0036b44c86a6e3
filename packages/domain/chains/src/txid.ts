import { bytesToHex } from '@noble/hashes/utils.js';
import { base64, base64url } from '@scure/base';
import { type Chain, formsOf } from './chain.ts';
import { decoded, parseBase58Bytes } from './forms/base58.ts';

const hex = /^[0-9a-fA-F]{64}$/;

/**
 * The normalised id, or undefined. 64 hex digits in the case that the chain's explorers use, after `0x` where they have it; base58 unchanged.
 * TON's are also written in base64, and become hex.
 */
export function parseTxid(chain: Chain, text: string): string | undefined {
  switch (formsOf(chain).txid) {
    case '0xhex':
      return text.startsWith('0x') && hex.test(text.slice(2)) ? text.toLowerCase() : undefined;
    case 'hex':
      return hex.test(text) ? text.toLowerCase() : undefined;
    case 'HEX':
      return hex.test(text) ? text.toUpperCase() : undefined;
    case 'base58_32':
      return parseBase58Bytes(text, 32);
    case 'base58_64':
      return parseBase58Bytes(text, 64);
    case 'hex_or_base64':
      return hex.test(text) ? text.toLowerCase() : fromBase64(text);
  }
}

function fromBase64(text: string): string | undefined {
  const bytes = text.length === 44 ? decoded(() => (/[-_]/.test(text) ? base64url : base64).decode(text)) : undefined;
  return bytes?.length === 32 ? bytesToHex(bytes) : undefined;
}
