/** Chains that share Ethereum's addresses: whoever holds the key of one holds it on all. */
export const evmChains = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base', 'avalanche'] as const;

/** Every chain that is known, lower case. */
export const chains = [...evmChains, 'tron', 'bitcoin'] as const;

export type Chain = (typeof chains)[number];

/** Chains that share Ethereum's addresses and transaction hashes. */
export type EvmChain = (typeof evmChains)[number];

export function isEvm(chain: Chain): chain is EvmChain {
  return (evmChains as readonly string[]).includes(chain);
}
