import { decodeBase58Address, encodeBase58Address, parseBase58Address } from './base58.ts';
import { parseCashAddress, toCashAddress } from './cashaddr.ts';
import { parseSegwitAddress } from './segwit.ts';

/** Version bytes of mainnet: P2PKH, P2SH. */
const bitcoinVersions = [0x00, 0x05];
const litecoinVersions = [0x30, 0x32];
const dogecoinVersions = [0x1e, 0x16];

export function parseBitcoinAddress(text: string): string | undefined {
  return parseBase58Address(text, bitcoinVersions) ?? parseSegwitAddress(text, 'bc');
}

/** A script address of the old form, which begins with 3 like Bitcoin's, becomes the present one with M. */
export function parseLitecoinAddress(text: string): string | undefined {
  const old = decodeBase58Address(text);
  if (old?.version === 0x05) return encodeBase58Address(0x32, old.hash);
  return parseBase58Address(text, litecoinVersions) ?? parseSegwitAddress(text, 'ltc');
}

export function parseDogecoinAddress(text: string): string | undefined {
  return parseBase58Address(text, dogecoinVersions);
}

/** CashAddr in lower case with its prefix. The legacy form, which is also Bitcoin's, is converted. */
export function parseBitcoinCashAddress(text: string): string | undefined {
  const legacy = decodeBase58Address(text);
  if (legacy === undefined) return parseCashAddress(text);
  const type = bitcoinVersions.indexOf(legacy.version);
  return type < 0 ? undefined : toCashAddress(type, legacy.hash);
}
