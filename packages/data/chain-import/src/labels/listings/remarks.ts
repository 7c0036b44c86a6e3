import { assetOf, listedCoins, parseAddress } from '@weir/chains';
import { chainsByForm, placeOf } from './asset.ts';

/** An address in a text, with the coin that the words before it name. */
interface Found {
  readonly address: string;
  readonly asset: string | undefined;
}

/** Names that texts use for coins, beside their codes. */
const names: Readonly<Record<string, string>> = {
  bitcoin: 'XBT',
  ethereum: 'ETH',
  ether: 'ETH',
  tether: 'USDT',
  tron: 'TRX',
  monero: 'XMR',
  litecoin: 'LTC',
  ripple: 'XRP',
  zcash: 'ZEC',
  dogecoin: 'DOGE',
  solana: 'SOL',
  cash: 'BCH',
};
/** Codes beside those of Weir's own coins. */
const otherCodes = ['XBT', 'ARB', 'BSC', 'XMR', 'LTC', 'ZEC', 'BTG', 'ETC', 'BSV', 'BCH', 'XVG', 'XRP', 'DOGE', 'SOL'];
/** Codes that are words, too. */
const isWord = /^(.{1,2}|NEAR|DOT|TON|APE|BAT|CAKE|MAGIC|LEO|MEME|LOOKS|VITA|DEGEN|ENS)$/;
const codes: ReadonlySet<string> = new Set([
  ...otherCodes,
  ...listedCoins.map(({ symbol }) => assetOf(symbol)).filter((asset) => !isWord.test(asset)),
]);

/** Words between the name of a coin and its address. */
const mostBetween = 6;
/** Of an address of any coin. */
const shortest = 25;
const longest = 130;

/**
 * Finds crypto addresses in the free text of a list that has no field for them. An address counts when its form and checksum are right, or
 * when a coin is named before it: then it is claimed to be one, even if it is wrong.
 */
export function addressesIn(text: string): Found[] {
  const found: Found[] = [];
  let asset: string | undefined;
  let since = 0;
  let isFirst = true;
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const named = assetNamed(word, asset);
    if (named !== undefined) [asset, since, isFirst] = [named, 0, true];
    else since += 1;
    if (since > mostBetween) asset = undefined;
    if (!mayBeAddress(word) || (asset === undefined && !isAddress(word))) continue;
    // A coin is often named once for several addresses, and sometimes only for the first.
    if (!isFirst && asset !== undefined && 'rejected' in placeOf(asset, word)) asset = undefined;
    found.push({ address: word, asset });
    [since, isFirst] = [0, false];
  }
  return found;
}

/** `Bitcoin Cash` is another coin than Bitcoin. */
function assetNamed(word: string, before: string | undefined): string | undefined {
  const lower = word.toLowerCase();
  if (lower === 'cash' && before !== 'XBT') return undefined;
  if (Object.hasOwn(names, lower)) return names[lower];
  return codes.has(word) ? word : undefined;
}

function mayBeAddress(word: string): boolean {
  return word.length >= shortest && word.length <= longest && /^[A-Za-z0-9]+$/.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word);
}

function isAddress(word: string): boolean {
  return chainsByForm.some((chain) => parseAddress(chain, word) !== undefined);
}
