/** The two networks of the specification, and USDC on each: the asset that prices are in. */
export const evmNetwork = 'eip155:8453';
export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export type PayNetwork = typeof evmNetwork | typeof solanaNetwork;

export const payNetworks: readonly PayNetwork[] = [evmNetwork, solanaNetwork];

interface Asset {
  readonly asset: string;
  /** What the signature of a payment names besides: the token's EIP-712 domain. */
  readonly extra: Readonly<Record<string, string>>;
}

/** As the x402 libraries have them, which a test holds them against. */
export const usdcOn: Readonly<Record<PayNetwork, Asset>> = {
  [evmNetwork]: { asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', extra: { name: 'USD Coin', version: '2' } },
  [solanaNetwork]: { asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', extra: {} },
};
