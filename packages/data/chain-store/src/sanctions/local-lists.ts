import { type Chain, chains, isNobody, listedOn, parseAddress, parseTxid } from '@weir/chains';
import { prepared, type Queryable } from '@weir/postgres';
import { isSuspicion, sanctionCategories, weightOf } from '@weir/risk-engine';

/** In any form that its chain allows. */
export interface AddressOf {
  readonly chain: string;
  readonly address: string;
}

interface Place extends AddressOf {
  readonly chain: Chain;
}

/** `receiver`: the address of the deposit; null when unknown. */
export interface TransactionOf {
  readonly chain: string;
  readonly txid: string;
  readonly receiver: string | null;
}

export interface Listing {
  readonly name: string;
  readonly source: string;
}

/** Parameters of a statement that checks for candidate labels itself, so that most addresses need no second one. */
export interface ListKeys {
  /** True when the table is known to exist. */
  readonly isThere: boolean;
  readonly chains: readonly string[];
  readonly addresses: readonly string[];
  /** Lower case. A label of these categories may be a listing; `find` decides. */
  readonly categories: readonly string[];
}

/**
 * Sanctions labels of this database (`chain.labels`, written by `weir labels import`), independent of the risk API.
 * Categories and aliases are those of the risk engine; suspicions do not count. A listing on one EVM chain counts on all.
 */
export class LocalLists {
  /** Tables found to exist. From then on a failed read is an error, never "not listed". */
  readonly #there = new Set<string>();

  keysOf(asked: AddressOf): ListKeys {
    const one = normalised(asked);
    const places = one === undefined ? [] : placesOf(one);
    return {
      isThere: this.#there.has('chain.labels'),
      chains: places.map(({ chain }) => chain),
      addresses: places.map(({ address }) => address),
      categories: sanctionCategories,
    };
  }

  /**
   * Listings of each address at `atMs` (Unix ms; default the database's clock), in the order of `asked`.
   * One statement. Rejects when the read fails.
   */
  async find(db: Queryable, asked: readonly AddressOf[], atMs?: number): Promise<readonly (readonly Listing[])[]> {
    const found = asked.map((): Listing[] => []);
    const wanted = asked.map(normalised);
    const known = wanted.flatMap((one) => (one === undefined ? [] : placesOf(one)));
    if (known.length === 0 || !(await this.#exists(db, 'chain.labels'))) return found;
    const byKey = new Map<string, Listing[]>();
    const { rows } = await db.query<AddressOf & Listing & { category: string; confidence: number }>(
      prepared(`SELECT l.chain, l.address, l.name, l.source, l.category, l.confidence
       FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t(chain, address)) u
       JOIN chain.labels l ON l.chain = u.chain AND l.address = u.address
       WHERE coalesce(l.valid_from <= coalesce($3, clock_timestamp()), true)
         AND coalesce(l.valid_to > coalesce($3, clock_timestamp()), true) ORDER BY l.source, l.name`),
      [known.map(({ chain }) => chain), known.map(({ address }) => address), atMs === undefined ? null : new Date(atMs)],
    );
    if (rows.length === 0) return found;
    for (const { chain, address, name, source, category, confidence } of rows) {
      if (weightOf(category).risk_type !== 'sanctioned_entity' || isSuspicion(confidence)) continue;
      const key = keyOf({ chain, address });
      byKey.set(key, [...(byKey.get(key) ?? []), { name, source }]);
    }
    return wanted.map((one) => {
      const listings = one === undefined ? [] : placesOf(one).flatMap((place) => byKey.get(keyOf(place)) ?? []);
      // A list may name an address on several chains.
      return [...new Map(listings.map((listing) => [`${listing.source}\n${listing.name}`, listing])).values()];
    });
  }

  /**
   * Imported senders to the receiver in each transaction; all senders in it without a known receiver.
   * Ignores unknown tokens: their contracts can name any sender.
   */
  async sendersOf(db: Queryable, asked: readonly TransactionOf[]): Promise<readonly (readonly AddressOf[])[]> {
    const senders = asked.map((): AddressOf[] => []);
    const known = asked.flatMap(({ chain: name, txid: text, receiver }, n) => {
      const chain = findChain(name);
      const txid = chain === undefined ? undefined : parseTxid(chain, text);
      return txid === undefined
        ? []
        : [{ n, chain: name, txid, receiver: normalised({ chain: name, address: receiver ?? '' })?.address ?? '' }];
    });
    if (known.length === 0 || !(await this.#exists(db, 'chain.transfers'))) return senders;
    const { rows } = await db.query<{ n: number; chain: string; sender: string }>(
      prepared(`WITH legs AS (
         SELECT u.n, u.chain, t.from_address AS sender, t.to_address = u.receiver AS is_ours
         FROM unnest($1::int[], $2::text[], $3::text[], $4::text[]) AS u(n, chain, txid, receiver)
         JOIN chain.transfers t ON hashtextextended(t.txid, 0) = hashtextextended(u.txid COLLATE "C", 0) AND t.txid = u.txid AND t.chain = u.chain AND t.dealing)
       SELECT DISTINCT l.n, l.chain, l.sender FROM legs l
       WHERE l.is_ours OR NOT EXISTS (SELECT FROM legs o WHERE o.n = l.n AND o.is_ours) ORDER BY l.n, l.sender`),
      [known.map(({ n }) => n), known.map(({ chain }) => chain), known.map(({ txid }) => txid), known.map(({ receiver }) => receiver)],
    );
    for (const { n, chain, sender } of rows) senders[n]?.push({ chain, address: sender });
    return senders;
  }

  async #exists(db: Queryable, table: 'chain.labels' | 'chain.transfers'): Promise<boolean> {
    if (!this.#there.has(table)) {
      const { rows } = await db.query<{ there: boolean }>(prepared('SELECT to_regclass($1) IS NOT NULL AS there'), [table]);
      if (rows[0]?.there === true) this.#there.add(table);
    }
    return this.#there.has(table);
  }
}

/**
 * The stored form. Accepts a wrong checksum case: a false match is better than a missed one. Undefined for other text and burn addresses.
 */
function normalised({ chain: name, address: text }: AddressOf): Place | undefined {
  const chain = findChain(name);
  if (chain === undefined) return undefined;
  const address = parseAddress(chain, text) ?? parseAddress(chain, text.toLowerCase());
  return address === undefined || isNobody(chain, address) ? undefined : { chain, address };
}

function placesOf({ chain, address }: Place): Place[] {
  return listedOn(chain).map((each) => ({ chain: each, address }));
}

function findChain(name: string): Chain | undefined {
  return chains.find((one: Chain) => one === name);
}

function keyOf({ chain, address }: AddressOf): string {
  return `${chain}\n${address}`;
}
