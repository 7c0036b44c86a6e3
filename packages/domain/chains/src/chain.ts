/** On these chains one key controls the same address. */
export const evmChains = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base', 'avalanche'] as const;

export const chains = [...evmChains, 'tron', 'bitcoin'] as const;

export type Chain = (typeof chains)[number];

export type EvmChain = (typeof evmChains)[number];

/**
 * Where a sanctions label of this chain counts: on all EVM chains, because one key controls them all.
 * A contract may have another owner elsewhere; only sanctions labels accept that error.
 */
export function listedOn(chain: Chain): readonly Chain[] {
  return isEvm(chain) ? evmChains : [chain];
}

export function isEvm(chain: Chain): chain is EvmChain {
  return (evmChains as readonly string[]).includes(chain);
}

/** Whether one transaction spends from several addresses, so that who signs together is known. */
export function hasInputs(chain: Chain): boolean {
  return chain === 'bitcoin';
}
