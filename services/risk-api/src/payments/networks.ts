/** The two networks of the specification, and USDC on each, the currency of the prices. */
export const evmNetwork = 'eip155:8453';
export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export type PayNetwork = typeof evmNetwork | typeof solanaNetwork;

export const payNetworks: readonly PayNetwork[] = [evmNetwork, solanaNetwork];

interface Asset {
  readonly asset: string;
  /** The token's EIP-712 domain, which the signature covers. */
  readonly extra: Readonly<Record<string, string>>;
}

/** A test compares these values with the x402 libraries. */
export const usdcOn: Readonly<Record<PayNetwork, Asset>> = {
  [evmNetwork]: { asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', extra: { name: 'USD Coin', version: '2' } },
  [solanaNetwork]: { asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', extra: {} },
};

/** Millionths of a USDC, the unit on chain. */
export function unitsOf(usdc: string): bigint {
  const [whole = '0', fraction = ''] = usdc.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

/** Decimal USDC without trailing zeros. */
export function usdcOf(units: bigint): string {
  const fraction = (units % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '');
  return `${units / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}
