import { type Chain, tronAddressFromHex } from '@weir/chains';

/** Databases write bytes as `\x…`; programs as `0x…` or as digits alone. */
const bytes = /^(?:\\x|0x)?([0-9a-fA-F]+)$/;
const hexDigits = (text: string, length: number): string | undefined => {
  const digits = bytes.exec(text)?.[1];
  return digits?.length === length ? digits : undefined;
};

/** An address as Weir's chains write it, from the ways in which exports write it; what is none of them stays as it is. */
export function writtenAddress(chain: string, text: string): string {
  // What most exports write on EVM chains needs no look: whoever checks the row finds what is wrong with it.
  if (chain === 'bitcoin' || (chain !== 'tron' && text.startsWith('0x'))) return text;
  const digits = hexDigits(text, 40) ?? (chain === 'tron' ? hexDigits(text, 42)?.replace(/^41/, '') : undefined);
  if (digits === undefined || digits.length !== 40) return text;
  return chain === 'tron' ? tronAddressFromHex(digits) : `0x${digits.toLowerCase()}`;
}

/** The same for the id of a transaction. */
export function writtenTxid(chain: string, text: string): string {
  if (chain !== 'bitcoin' && chain !== 'tron' && text.startsWith('0x')) return text;
  const digits = hexDigits(text, 64);
  if (digits === undefined) return text;
  return chain === 'bitcoin' || chain === 'tron' ? digits : `0x${digits}`;
}

/** The address in a 32-byte word of a log; undefined when the word holds more than an address. */
export function addressInWord(chain: Chain, word: string): string | undefined {
  const digits = hexDigits(word, 64);
  return digits === undefined || !/^0{24}/.test(digits) ? undefined : writtenAddress(chain, digits.slice(24).toLowerCase());
}
