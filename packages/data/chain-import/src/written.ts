import { type Chain, findChain, formsOf, tronAddressFromHex } from '@weir/chains';

/** Databases write bytes as `\x…`; programs as `0x…` or as digits alone. */
const bytes = /^(?:\\x|0x)?([0-9a-fA-F]+)$/;
const hexDigits = (text: string, length: number): string | undefined => {
  const digits = bytes.exec(text)?.[1];
  return digits?.length === length ? digits : undefined;
};

/** Converts an export's form of an address to Weir's; other text stays unchanged. */
export function writtenAddress(chain: string, text: string): string {
  const form = formOf(chain)?.address;
  // The common form on EVM chains; the check of the row reports its faults.
  if ((form !== 'evm' && form !== 'tron') || (form === 'evm' && text.startsWith('0x'))) return text;
  const digits = hexDigits(text, 40) ?? (form === 'tron' ? hexDigits(text, 42)?.replace(/^41/, '') : undefined);
  if (digits === undefined || digits.length !== 40) return text;
  return form === 'tron' ? tronAddressFromHex(digits) : `0x${digits.toLowerCase()}`;
}

/** Converts a transaction id likewise. */
export function writtenTxid(chain: string, text: string): string {
  const form = formOf(chain)?.txid;
  const digits = hexDigits(text, 64);
  if (form === undefined || digits === undefined || (form === '0xhex' && text.startsWith('0x'))) return text;
  if (form === '0xhex') return `0x${digits}`;
  return form.startsWith('base58') ? text : digits;
}

function formOf(chain: string): ReturnType<typeof formsOf> | undefined {
  const known = findChain(chain);
  return known === undefined ? undefined : formsOf(known);
}

/** Extracts the address of a log's 32-byte word; undefined when other bytes are set. */
export function addressInWord(chain: Chain, word: string): string | undefined {
  const digits = hexDigits(word, 64);
  return digits === undefined || !/^0{24}/.test(digits) ? undefined : writtenAddress(chain, digits.slice(24).toLowerCase());
}
