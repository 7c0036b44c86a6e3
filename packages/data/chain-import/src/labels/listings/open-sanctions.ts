import { basename } from 'node:path';
import { readBytes } from '../../source/bytes.ts';
import { readJsonLines } from '../../source/json.ts';
import { readLines } from '../../source/lines.ts';
import type { Fields } from '../../source/records.ts';
import type { Listing, ListOrigin, UnusableListing } from './listing.ts';

/** A collection of the authorities' lists, not one of them. */
export const openSanctionsList: ListOrigin = { source: 'OpenSanctions', source_kind: 'curated', confidence: 0.9 };

/** OpenSanctions' names of the lists that Weir reads from their authorities too. */
const authorities: Readonly<Record<string, string>> = {
  us_ofac_sdn: 'OFAC',
  us_ofac_cons: 'OFAC',
  eu_fsf: 'EU',
  gb_fcdo_sanctions: 'UK',
  un_sc_sanctions: 'UN',
};

interface Wallet {
  readonly number: number;
  readonly keys: readonly string[];
  readonly assets: readonly string[];
  readonly holders: readonly string[];
  /** Names of holders that the wallet carries itself, in nested exports. */
  readonly names: readonly string[];
  readonly programmes: readonly string[];
  readonly authority: string | undefined;
}

/** The collection had some thousands in 2026. */
const mostWallets = 500_000;

/**
 * Sanctioned wallets of FollowTheMoney entities, one JSON object a line. Wallets of other topics, such as of ransomware, are no listings.
 * Names of holders stand in any other line, so the file is read twice.
 */
export async function* readOpenSanctions(path: string): AsyncGenerator<Listing | UnusableListing, void, void> {
  const wallets: (Wallet | UnusableListing)[] = [];
  for await (const record of readJsonLines(readLines(readBytes(path)), 0)) {
    if ('rejected' in record) wallets.push({ unusable: record.rejected, text: record.text });
    else if (record.fields['schema'] === undefined)
      throw new Error(`${basename(path)}: line ${record.number} is no entity of FollowTheMoney`);
    else if (isSanctionedWallet(record.fields)) wallets.push(walletOf(record.number, record.fields));
    if (wallets.length > mostWallets) throw new Error(`${basename(path)} has more than ${mostWallets} wallets; split it`);
  }
  const captions = await captionsOf(path, new Set(wallets.flatMap((wallet) => ('holders' in wallet ? wallet.holders : []))));
  for (const wallet of wallets) yield* 'unusable' in wallet ? [wallet] : listingsOf(wallet, captions);
}

function isSanctionedWallet({ schema, properties }: Fields): boolean {
  return schema === 'CryptoWallet' && textsIn(properties, 'topics').some((topic) => topic === 'sanction' || topic.startsWith('sanction.'));
}

function walletOf(number: number, { properties, datasets }: Fields): Wallet {
  const nested = valuesIn(properties, 'holder').filter(isObject);
  const lists = Array.isArray(datasets) ? (datasets as unknown[]) : [];
  const [authority, another] = new Set(
    lists.map((list) => (typeof list === 'string' && Object.hasOwn(authorities, list) ? authorities[list] : undefined)),
  );
  return {
    number,
    keys: textsIn(properties, 'publicKey'),
    assets: textsIn(properties, 'currency'),
    holders: textsIn(properties, 'holder'),
    names: nested.flatMap(({ caption }) => (typeof caption === 'string' ? [caption] : [])),
    programmes: textsIn(properties, 'programId'),
    // A listing by two authorities does not end with one of them.
    authority: another === undefined ? authority : undefined,
  };
}

function* listingsOf({ number, keys, assets, holders, names, programmes, authority }: Wallet, captions: ReadonlyMap<string, string>) {
  const entity = [...names, ...holders.flatMap((holder) => captions.get(holder) ?? [])].join('; ') || 'Holder not given';
  if (keys.length === 0) yield { unusable: 'wallet has no publicKey', text: `line ${number}` };
  for (const address of keys) {
    for (const asset of assets.length === 0 ? [undefined] : assets) yield { address, asset, entity, from: null, programmes, authority };
  }
}

async function captionsOf(path: string, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const captions = new Map<string, string>();
  if (wanted.size === 0) return captions;
  for await (const record of readJsonLines(readLines(readBytes(path)), 0)) {
    const { id, caption } = 'fields' in record ? record.fields : {};
    if (typeof id === 'string' && typeof caption === 'string' && wanted.has(id)) captions.set(id, caption.slice(0, 300));
  }
  return captions;
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function valuesIn(properties: unknown, name: string): readonly unknown[] {
  const values = isObject(properties) ? properties[name] : undefined;
  return Array.isArray(values) ? (values as unknown[]) : [];
}

function textsIn(properties: unknown, name: string): string[] {
  return valuesIn(properties, name).filter((value) => typeof value === 'string');
}
