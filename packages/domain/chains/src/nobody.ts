import { type Chain, isEvm } from './chain.ts';

const evmNobodies: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  // The native coin in the logs of many contracts.
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0xffffffffffffffffffffffffffffffffffffffff',
]);

const zero = `0x${'0'.repeat(64)}`;

const otherNobodies: Readonly<Partial<Record<Chain, ReadonlySet<string>>>> = {
  // Zero address, TRON's burn address.
  tron: new Set(['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy']),
  // All-zero hash, two burn addresses.
  bitcoin: new Set(['1111111111111111111114oLvT2', '1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr']),
  // The system program, and the incinerator.
  solana: new Set(['11111111111111111111111111111111', '1nc1nerator11111111111111111111111111111111']),
  // ACCOUNT_ZERO and ACCOUNT_ONE.
  ripple: new Set(['rrrrrrrrrrrrrrrrrrrrrhoLvTp', 'rrrrrrrrrrrrrrrrrrrrBZbvji']),
  stellar: new Set(['GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF']),
  ton: new Set(['UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJKZ']),
  aptos: new Set([zero]),
  sui: new Set([zero]),
};

const none: ReadonlySet<string> = new Set();

function setOf(chain: Chain): ReadonlySet<string> {
  return isEvm(chain) ? evmNobodies : (otherNobodies[chain] ?? none);
}

/** The addresses of which `isNobody` is true. */
export function nobodiesOf(chain: Chain): string[] {
  return [...setOf(chain)];
}

/** True for zero and burn addresses, which are never a counterparty. */
export function isNobody(chain: Chain, normalisedAddress: string): boolean {
  return setOf(chain).has(normalisedAddress);
}
