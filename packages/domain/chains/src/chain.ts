/** Chains that share Ethereum's addresses: one key controls the same address on all. */
export const evmChains = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base', 'avalanche'] as const;

export const chains = [...evmChains, 'tron', 'bitcoin'] as const;

export type Chain = (typeof chains)[number];

export type EvmChain = (typeof evmChains)[number];

/**
 * The chains on which a sanctions label of this chain counts: all EVM chains, because one key controls them all.
 * A contract may belong to someone else on another chain. Sanctions labels accept that error; other labels stay on their own chain.
 */
export function listedOn(chain: Chain): readonly Chain[] {
  return isEvm(chain) ? evmChains : [chain];
}

export function isEvm(chain: Chain): chain is EvmChain {
  return (evmChains as readonly string[]).includes(chain);
}
