import { hexToBytes } from '@noble/hashes/utils.js';
import { encodeBase58Address, parseBase58Address } from './base58.ts';
import { type Chain, isEvm } from './chain.ts';
import { parseEvmAddress, toEip55 } from './evm.ts';
import { parseSegwitAddress } from './segwit.ts';

const tronVersion = 0x41;
/** Bitcoin mainnet: P2PKH and P2SH. */
const bitcoinVersions = [0x00, 0x05];

/**
 * The normalised address, or undefined. Does not trim. EVM: lower case; mixed case must pass EIP-55. Segwit: lower case.
 * TRON and legacy Bitcoin: Base58Check, unchanged, because base58 is case-sensitive.
 */
export function parseAddress(chain: Chain, text: string): string | undefined {
  if (isEvm(chain)) return parseEvmAddress(text);
  if (chain === 'tron') return parseBase58Address(text, [tronVersion]);
  return parseBase58Address(text, bitcoinVersions) ?? parseSegwitAddress(text);
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

const evmNobodies = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  // The native coin in the logs of many contracts.
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0xffffffffffffffffffffffffffffffffffffffff',
]);

const otherNobodies: Readonly<Record<'tron' | 'bitcoin', ReadonlySet<string>>> = {
  // Zero address, TRON's burn address.
  tron: new Set(['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy']),
  // All-zero hash, two burn addresses.
  bitcoin: new Set(['1111111111111111111114oLvT2', '1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr']),
};

/** The addresses of which `isNobody` is true. */
export function nobodiesOf(chain: Chain): string[] {
  return [...(isEvm(chain) ? evmNobodies : otherNobodies[chain])];
}

/** True for zero and burn addresses, which are never a counterparty. */
export function isNobody(chain: Chain, normalisedAddress: string): boolean {
  return isEvm(chain) ? evmNobodies.has(normalisedAddress) : otherNobodies[chain].has(normalisedAddress);
}
