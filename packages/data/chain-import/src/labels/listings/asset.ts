import { assetOf, type Chain, findChain, listedCoins, parseAddress } from '@weir/chains';

/** Where a listed address is: on a chain, on one that Weir does not know, or nowhere. */
export type Place = { readonly chain: Chain } | { readonly unknown: string } | { readonly rejected: string };

/** A token exists on several chains, so the form of the address decides. Tether on Bitcoin (Omni) is listed too. */
const natives = new Set(listedCoins.filter(({ native }) => native).map(({ symbol }) => assetOf(symbol)));
const tokens: ReadonlySet<string> = new Set(listedCoins.map(({ symbol }) => assetOf(symbol)).filter((asset) => !natives.has(asset)));
export const chainsByForm = ['ethereum', 'tron', 'bitcoin'] as const;
/** Solana's have no checksum, so the list must name a token. */
const chainsOfTokens = [...chainsByForm, 'ton', 'solana'] as const;

const code = /^[A-Za-z0-9]{2,12}$/;

/** Bitcoin's old forms are those of Bitcoin Cash, and of Litecoin, too. */
const shared = /^[13]/;

/** `asset`: the list's code of the coin; undefined when the list names none. */
export function placeOf(asset: string | undefined, address: string): Place {
  const own = asset === undefined ? undefined : chainOf(asset, address);
  if (own !== undefined) return parseAddress(own, address) === undefined ? noAddressOf(own) : { chain: own };
  if (asset !== undefined && !tokens.has(asset.toUpperCase())) {
    return code.test(asset) ? { unknown: asset.toUpperCase() } : { rejected: `"${asset.slice(0, 40)}" is no code of a coin` };
  }
  const possible: readonly Chain[] = asset === undefined ? chainsByForm : chainsOfTokens;
  const chain = possible.find((each) => parseAddress(each, address) !== undefined);
  if (chain === undefined) return noAddressOf(new Intl.ListFormat('en', { type: 'disjunction' }).format(possible).replace(', or', ' or'));
  if (asset === undefined && chain === 'bitcoin' && shared.test(address))
    return { rejected: 'address may be of Bitcoin, Bitcoin Cash or Litecoin: the list names no coin' };
  return { chain };
}

function noAddressOf(chain: string): Place {
  return { rejected: `address is no address of ${chain}, or its checksum is wrong` };
}

function chainOf(asset: string, address: string): Chain | undefined {
  // Of the retired Beacon Chain, whose addresses have another form.
  if (/^bnb$/i.test(asset) && !address.startsWith('0x')) return undefined;
  return findChain(asset);
}
