import { hexToBytes } from '@noble/hashes/utils.js';
import { type Chain, chains, formsOf, isEvm } from './chain.ts';
import type { Account } from './forms/account.ts';
import { encodeBase58Address, parseBase58Address, parseBase58Bytes } from './forms/base58.ts';
import { parseCardanoAddress } from './forms/cardano.ts';
import { parseCosmosAddress } from './forms/cosmos.ts';
import { parseEvmAddress, toEip55 } from './forms/evm.ts';
import { parseAptosAddress, parseMoveType, parseSuiAddress } from './forms/move.ts';
import { parseNearAddress } from './forms/near.ts';
import { parsePolkadotAddress } from './forms/ss58.ts';
import { parseStellarAccount } from './forms/stellar.ts';
import { parseTonAddress } from './forms/ton.ts';
import { parseBitcoinAddress, parseBitcoinCashAddress, parseDogecoinAddress, parseLitecoinAddress } from './forms/utxo.ts';
import { parseXrpAccount } from './forms/xrp.ts';

const tronVersion = 0x41;

type Form = ReturnType<typeof formsOf>['address'];

const parsers: Readonly<Record<Form, (text: string) => string | undefined>> = {
  evm: parseEvmAddress,
  tron: (text) => parseBase58Address(text, [tronVersion]),
  bitcoin: parseBitcoinAddress,
  litecoin: parseLitecoinAddress,
  dogecoin: parseDogecoinAddress,
  cash: parseBitcoinCashAddress,
  solana: (text) => parseBase58Bytes(text, 32),
  xrp: (text) => parseXrpAccount(text)?.address,
  stellar: (text) => parseStellarAccount(text)?.address,
  ton: parseTonAddress,
  ss58: parsePolkadotAddress,
  cardano: parseCardanoAddress,
  cosmos: parseCosmosAddress,
  near: parseNearAddress,
  aptos: parseAptosAddress,
  sui: parseSuiAddress,
};

/**
 * The normalised address, or undefined. Does not trim. Hexadecimal and bech32 become lower case, and mixed case of the EVM must pass EIP-55.
 * Of several forms of one account the present one remains; base58 without another form stays unchanged.
 */
export function parseAddress(chain: Chain, text: string): string | undefined {
  return parsers[formsOf(chain).address](text);
}

/** As `parseAddress`, with the memo that an X-address or a muxed account holds. */
export function parseAccount(chain: Chain, text: string): Account | undefined {
  const { address: form } = formsOf(chain);
  if (form === 'xrp') return parseXrpAccount(text);
  if (form === 'stellar') return parseStellarAccount(text);
  const address = parseAddress(chain, text);
  return address === undefined ? undefined : { address };
}

/** Normalised: an address, or on chains of Move the type of a coin. */
export function parseContract(chain: Chain, text: string): string | undefined {
  const address = parseAddress(chain, text);
  const { address: form } = formsOf(chain);
  if (address !== undefined || (form !== 'aptos' && form !== 'sui')) return address;
  return parseMoveType(text, form === 'aptos' ? parseAptosAddress : parseSuiAddress);
}

/** EIP-55 on EVM chains, unchanged elsewhere. */
export function displayAddress(chain: Chain, normalised: string): string {
  return isEvm(chain) ? toEip55(normalised) : normalised;
}

/** From the TVM's 20 bytes (40 hex digits, without the leading 41). Throws a TypeError on other input. */
export function tronAddressFromHex(hex20: string): string {
  if (!/^[0-9a-fA-F]{40}$/.test(hex20)) throw new TypeError('expected 40 hex digits');
  return encodeBase58Address(tronVersion, hexToBytes(hex20));
}

/** The stored forms of an address on each chain that accepts it; none for a text that is no address. */
export function addressForms(text: string): string[] {
  // Almost any word may be an account of NEAR.
  const asked = chains.filter((chain) => chain !== 'near' || /\.|^[0-9a-f]{64}$/.test(text));
  return [...new Set(asked.flatMap((chain) => parseAddress(chain, text) ?? []))];
}
