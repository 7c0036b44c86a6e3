/** Chains that share Ethereum's addresses: whoever holds the key of one holds it on all. */
export const evmChains = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base', 'avalanche'] as const;

/** Every chain that is known, lower case. */
export const chains = [...evmChains, 'tron', 'bitcoin'] as const;

export type Chain = (typeof chains)[number];

/** Chains that share Ethereum's addresses and transaction hashes. */
export type EvmChain = (typeof evmChains)[number];

/**
 * The chains on which a sanctions listing of an address counts that is met on this chain: all EVM chains share their keys, so whoever holds an address on one
 * holds it on the others. A contract may be another's there. For a listing that is overlooked; for other labels it is not, so they hold on their own chain.
 */
export function listedOn(chain: Chain): readonly Chain[] {
  return isEvm(chain) ? evmChains : [chain];
}

export function isEvm(chain: Chain): chain is EvmChain {
  return (evmChains as readonly string[]).includes(chain);
}
