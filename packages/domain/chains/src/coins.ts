import type { Chain } from './chain.ts';
import { parseEvmAddress } from './evm.ts';

/** One asset on one chain: `USDT-TRC20` is not `USDT-ERC20`. */
export interface Coin {
  /** Upper case, unique over all chains. */
  readonly symbol: string;
  readonly chain: Chain;
  /** The chain's fees are paid in it. */
  readonly native: boolean;
  readonly decimals: number;
  /** Normalised; absent for a native coin. */
  readonly contract?: string;
}

function native(symbol: string, chain: Chain, decimals: number): Coin {
  return Object.freeze({ symbol, chain, native: true, decimals });
}

/** EIP-55 form, so that a typing error in this table fails at start. */
function token(symbol: string, chain: Chain, decimals: number, contract: string): Coin {
  const normalised = chain === 'tron' ? contract : parseEvmAddress(contract);
  if (normalised === undefined) throw new TypeError(`contract of ${symbol} fails its checksum`);
  return Object.freeze({ symbol, chain, native: false, decimals, contract: normalised });
}

/** USDT and USDC have 18 decimals on BSC and 6 elsewhere. */
export const coins: readonly Coin[] = Object.freeze([
  native('ETH', 'ethereum', 18),
  token('USDT-ERC20', 'ethereum', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  token('USDC-ERC20', 'ethereum', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
  token('DAI-ERC20', 'ethereum', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F'),
  token('WETH-ERC20', 'ethereum', 18, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
  token('WBTC-ERC20', 'ethereum', 8, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
  token('LINK-ERC20', 'ethereum', 18, '0x514910771AF9Ca656af840dff83E8264EcF986CA'),
  token('UNI-ERC20', 'ethereum', 18, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984'),
  token('SHIB-ERC20', 'ethereum', 18, '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE'),
  token('PEPE-ERC20', 'ethereum', 18, '0x6982508145454Ce325dDbE47a25d4ec3d2311933'),

  native('TRX', 'tron', 6),
  token('USDT-TRC20', 'tron', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  token('USDC-TRC20', 'tron', 6, 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'),

  native('BTC', 'bitcoin', 8),

  native('BNB', 'bsc', 18),
  token('USDT-BEP20', 'bsc', 18, '0x55d398326f99059fF775485246999027B3197955'),
  token('USDC-BEP20', 'bsc', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'),

  native('POL', 'polygon', 18),
  token('USDT-POLYGON', 'polygon', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  token('USDC-POLYGON', 'polygon', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),

  native('ETH-ARBITRUM', 'arbitrum', 18),
  token('USDT-ARBITRUM', 'arbitrum', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
  token('USDC-ARBITRUM', 'arbitrum', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),

  native('ETH-OPTIMISM', 'optimism', 18),
  token('USDT-OPTIMISM', 'optimism', 6, '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  token('USDC-OPTIMISM', 'optimism', 6, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),

  native('ETH-BASE', 'base', 18),
  token('USDC-BASE', 'base', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),

  native('AVAX', 'avalanche', 18),
  token('USDT-AVALANCHE', 'avalanche', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  token('USDC-AVALANCHE', 'avalanche', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
]);

const bySymbol = new Map(coins.map((coin) => [coin.symbol, coin]));

/** Case-sensitive. */
export function findCoin(symbol: string): Coin | undefined {
  return bySymbol.get(symbol);
}
