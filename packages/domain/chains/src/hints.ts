import leven from 'leven';
import { parseAddress } from './address.ts';
import { type Chain, chains, findChain, isEvm } from './chain.ts';
import { assetOf, type Coin } from './coin.ts';
import { allCoins } from './coins.ts';

/** A suggestion for a text that is no coin, or no address of its chain. */
export type Hint = string | undefined;

const mostSuggested = 2;
/** Shorter symbols are more often another coin than a typing error, unless two letters are swapped. */
const shortestMisspelt = 4;
const shortestSwapped = 3;
/** Of four letters two would be half. */
const mostErrorsOf = (wanted: string): number => (wanted.length <= shortestMisspelt ? 1 : 2);

/** Such as `USDT-ERC20 or USDT-TRC20?`. Prefers coins of `chain`: for `ETH` on Arbitrum it is `ETH-ARBITRUM?`. */
export function hintForCoin(text: string, chain: string | null): Hint {
  const near = nearCoins(text);
  const on = chain === null ? undefined : findChain(chain);
  const assets = new Set(near.map(({ symbol }) => assetOf(symbol)));
  const onChain = allCoins().filter((coin) => coin.chain === on && assets.has(assetOf(coin.symbol)));
  return question(onChain.length > 0 ? onChain : near);
}

/** Names the address's own chain, or the error in it. */
export function hintForAddress(coin: Coin, text: string): Hint {
  if (parseAddress(coin.chain, text.trim()) !== undefined) return 'there are blanks around the address';
  if (isEvm(coin.chain) && parseAddress(coin.chain, text.toLowerCase()) !== undefined) {
    return 'its checksum does not match: a character is wrong';
  }
  const others = chains.filter((chain) => telling(chain, text));
  const [first] = others;
  if (first === undefined) return undefined;
  const asset = assetOf(coin.symbol);
  const sameAsset = allCoins().filter((other) => assetOf(other.symbol) === asset && others.includes(other.chain));
  return question(sameAsset) ?? `it is an address of ${isEvm(first) ? 'EVM chains' : others.join(', ')}`;
}

/** Any word may be an account of NEAR, so only a name below `near` tells something. */
function telling(chain: Chain, text: string): boolean {
  return parseAddress(chain, text) !== undefined && (chain !== 'near' || text.endsWith('.near'));
}

function nearCoins(text: string): readonly Coin[] {
  const wanted = text.toUpperCase().replace(/[^A-Z0-9]+/g, '-');
  const coins = allCoins();
  const meant = coins.filter(({ symbol }) => symbol === wanted);
  if (meant.length > 0) return meant;
  const named = coins.filter((coin) => namesOf(coin).includes(wanted));
  return named.length > 0 || wanted.length < shortestSwapped ? named : misspelt(wanted);
}

/** A misspelt asset (`USDTT`) counts as its coins. */
function misspelt(wanted: string): readonly Coin[] {
  const coins = allCoins();
  const [asset = wanted] = wanted.split('-');
  const errors = coins.map(({ symbol }) =>
    Math.min(distance(wanted, symbol), wanted === asset ? distance(asset, assetOf(symbol)) : Number.POSITIVE_INFINITY),
  );
  const least = Math.min(...errors);
  return least > mostErrorsOf(wanted) ? [] : coins.filter((_, n) => errors[n] === least);
}

/** Two swapped neighbours are one error. */
function distance(wanted: string, symbol: string): number {
  if (isSwapped(wanted, symbol)) return 1;
  if (wanted.length < shortestMisspelt) return Number.POSITIVE_INFINITY;
  return leven(wanted, symbol, { maxDistance: mostErrorsOf(wanted) + 1 });
}

function isSwapped(one: string, other: string): boolean {
  const at = one.split('').findIndex((letter, n) => letter !== other[n]);
  return at >= 0 && `${one.slice(0, at)}${one.charAt(at + 1)}${one.charAt(at)}${one.slice(at + 2)}` === other;
}

/** Other names that callers use: `USDT`, `BITCOIN`. */
function namesOf(coin: Coin): readonly string[] {
  return [assetOf(coin.symbol), ...(coin.native ? [coin.chain.toUpperCase()] : [])];
}

/** A coin that is its asset (`DOGE`) comes before others of it (`DOGE-BEP20`). */
function question(suggested: readonly Coin[]): Hint {
  if (suggested.length === 0) return undefined;
  const isAsset = ({ symbol }: Coin): boolean => symbol === assetOf(symbol);
  const symbols = [...suggested.filter(isAsset), ...suggested.filter((coin) => !isAsset(coin))]
    .slice(0, mostSuggested)
    .map(({ symbol }) => symbol);
  return `${symbols.join(' or ')}?`;
}
