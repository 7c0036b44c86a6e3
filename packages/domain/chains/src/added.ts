import { parseContract } from './address.ts';
import { findChain, formsOf, upperWords } from './chain.ts';
import { assetOf, type Coin } from './coin.ts';
import { Coins } from './coins.ts';
import { isNobody } from './nobody.ts';

/** A token as a person names it. */
export interface NewToken {
  /** `PEPE`, or with its chain `PEPE-ERC20`; in any case. */
  readonly symbol: string;
  /** Any name of the chain. */
  readonly chain: string;
  readonly contract: string;
  readonly decimals: number;
}

export type TokenCoin = Coin & { readonly contract: string };

/** As many as an amount can have. */
const mostDecimals = 36;

/** The forms of chains whose tokens have a contract, or another address, of their own. */
const tokenForms: ReadonlySet<string> = new Set(['evm', 'tron', 'solana', 'ton', 'near', 'aptos', 'sui']);

/** The coin that a new token becomes beside the listed ones and `added`, or why it cannot be one. */
export function tokenCoin(
  { symbol, chain: name, contract, decimals }: NewToken,
  added: readonly Coin[],
): TokenCoin | { readonly problem: string } {
  const chain = findChain(name);
  if (chain === undefined) return { problem: `${name} is no chain that Weir knows` };
  const forms = formsOf(chain);
  if (!tokenForms.has(forms.address)) return { problem: `tokens of ${chain} have no contract that Weir can check` };
  const asset = assetOf(upperWords(symbol));
  if (!/^[A-Z0-9.$]{1,16}$/.test(asset)) return { problem: 'a symbol has 1 to 16 letters, digits, dots or dollar signs' };
  const suffix = upperWords(symbol).slice(asset.length + 1);
  if (suffix !== '' && findChain(suffix) !== chain) return { problem: `${symbol} does not end in a name of ${chain}` };
  if (!Number.isSafeInteger(decimals) || decimals < 0 || decimals > mostDecimals)
    return { problem: `decimals are a whole number from 0 to ${mostDecimals}` };
  const normalised = parseContract(chain, contract);
  if (normalised === undefined) return { problem: `${contract} is not a contract of ${chain}, or its checksum is wrong` };
  if (isNobody(chain, normalised)) return { problem: `${contract} is nobody's address, and no contract` };
  const coin = { symbol: `${asset}-${forms.names[0]}`, chain, native: false, decimals, contract: normalised };
  return conflictOf(coin, asset, new Coins(added)) ?? Object.freeze(coin);
}

function conflictOf({ symbol, chain, contract }: TokenCoin, asset: string, coins: Coins) {
  const same = coins.token(chain, contract);
  if (same !== undefined) return { problem: `the contract is that of ${same.symbol}, which is known` };
  // A name of a coin must never come to mean another one.
  const known = [symbol, asset].map((text) => coins.read(text, chain)).find((coin) => coin?.chain === chain);
  return known === undefined ? undefined : { problem: `${asset} on ${chain} is ${known.symbol}, which is known` };
}
