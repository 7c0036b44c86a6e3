import leven from 'leven';
import { parseAddress } from './address.ts';
import { type Chain, chains, isEvm } from './chain.ts';
import { type Coin, coins } from './coins.ts';

/** A suggestion for a text that is no coin, or no address of its chain. */
export type Hint = string | undefined;

const mostSuggested = 2;
/** Shorter symbols are more often another coin than a typing error. */
const shortestMisspelt = 5;
const mostErrors = 2;

/** Such as `USDT-ERC20 or USDT-TRC20?`. Prefers coins of `chain`. */
export function hintForCoin(text: string, chain: string | null): Hint {
  const near = nearCoins(text);
  const onChain = near.filter((coin) => coin.chain === chain);
  return question(onChain.length > 0 ? onChain : near);
}

/** Names the address's own chain, or the error in it. */
export function hintForAddress(coin: Coin, text: string): Hint {
  if (parseAddress(coin.chain, text.trim()) !== undefined) return 'there are blanks around the address';
  if (isEvm(coin.chain) && parseAddress(coin.chain, text.toLowerCase()) !== undefined) {
    return 'its checksum does not match: a character is wrong';
  }
  const others = chains.filter((chain) => parseAddress(chain, text) !== undefined);
  if (others.length === 0) return undefined;
  const sameAsset = coins.filter((other) => assetOf(other) === assetOf(coin) && others.includes(other.chain));
  return question(sameAsset) ?? `it is an address of ${isEvm(others[0] as Chain) ? 'EVM chains' : others.join(', ')}`;
}

function nearCoins(text: string): readonly Coin[] {
  const wanted = text.toUpperCase().replace(/[^A-Z0-9]+/g, '-');
  const meant = coins.filter(({ symbol }) => symbol === wanted);
  if (meant.length > 0) return meant;
  const named = coins.filter((coin) => namesOf(coin).includes(wanted));
  return named.length > 0 || wanted.length < shortestMisspelt ? named : misspelt(wanted);
}

function misspelt(wanted: string): readonly Coin[] {
  const errors = coins.map(({ symbol }) => leven(wanted, symbol, { maxDistance: mostErrors + 1 }));
  const least = Math.min(...errors);
  return least > mostErrors ? [] : coins.filter((_, n) => errors[n] === least);
}

/** Other names that callers use: `USDT`, `USDT-TRON`, `BITCOIN`. */
function namesOf(coin: Coin): readonly string[] {
  const chain = coin.chain.toUpperCase();
  return [assetOf(coin), `${assetOf(coin)}-${chain}`, ...(coin.native ? [chain] : [])];
}

function assetOf({ symbol }: Coin): string {
  return symbol.split('-')[0] ?? symbol;
}

function question(suggested: readonly Coin[]): Hint {
  if (suggested.length === 0) return undefined;
  const symbols = suggested.slice(0, mostSuggested).map(({ symbol }) => symbol);
  return `${symbols.join(' or ')}?`;
}
