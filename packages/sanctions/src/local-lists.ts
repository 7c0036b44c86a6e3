import { type Chain, chains, isNobody, parseAddress } from '@weir/chains';
import { prepared, type Queryable } from '@weir/postgres';
import { isSuspicion, knownCategories, weightOf } from '@weir/risk-engine';

/** An address in any form its chain allows. */
export interface AddressOf {
  readonly chain: string;
  readonly address: string;
}

/** One label that lists an address. */
export interface Listing {
  readonly name: string;
  readonly source: string;
}

/** Parameters of a statement that looks itself whether an address may be listed, so that most addresses cost no second one. */
export interface ListKeys {
  /** The table is known to be there. */
  readonly isThere: boolean;
  readonly chains: readonly string[];
  readonly addresses: readonly string[];
  /** Lower case. A label of one of these may be a listing; `find` says whether it is. */
  readonly categories: readonly string[];
}

const categories = knownCategories.filter(isSanctions);

/**
 * The sanctions among the labels of this database (`chain.labels`, written by `weir labels import`), whoever the risk API is. A category counts by the
 * weights of our own engine, aliases among them; a suspicion is no listing.
 */
export class LocalLists {
  /** Once the table is there it stays: from then on that it cannot be read is a failure, and never "not listed". */
  #isThere = false;

  keysOf(asked: AddressOf): ListKeys {
    const places = [normalised(asked)].filter((one) => one !== undefined);
    return {
      isThere: this.#isThere,
      chains: places.map(({ chain }) => chain),
      addresses: places.map(({ address }) => address),
      categories,
    };
  }

  /**
   * What lists each of `asked` at that moment (Unix ms; by the database's clock where it is left out), in their order; empty for what is not listed.
   * One statement. Rejects when it cannot be read.
   */
  async find(db: Queryable, asked: readonly AddressOf[], atMs?: number): Promise<readonly (readonly Listing[])[]> {
    const found = asked.map((): Listing[] => []);
    const wanted = asked.map(normalised);
    const known = wanted.filter((one) => one !== undefined);
    if (known.length === 0 || !(await this.#exists(db))) return found;
    const byKey = new Map<string, Listing[]>();
    const { rows } = await db.query<AddressOf & Listing & { category: string; confidence: number }>(
      prepared(`SELECT l.chain, l.address, l.name, l.source, l.category, l.confidence
       FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t(chain, address)) u
       JOIN chain.labels l ON l.chain = u.chain AND l.address = u.address
       WHERE coalesce(l.valid_from <= coalesce($3, clock_timestamp()), true)
         AND coalesce(l.valid_to > coalesce($3, clock_timestamp()), true) ORDER BY l.source, l.name`),
      [known.map(({ chain }) => chain), known.map(({ address }) => address), atMs === undefined ? null : new Date(atMs)],
    );
    for (const { chain, address, name, source, category, confidence } of rows) {
      if (!isSanctions(category) || isSuspicion(confidence)) continue;
      const key = keyOf({ chain, address });
      byKey.set(key, [...(byKey.get(key) ?? []), { name, source }]);
    }
    return wanted.map((one) => (one === undefined ? [] : (byKey.get(keyOf(one)) ?? [])));
  }

  async #exists(db: Queryable): Promise<boolean> {
    if (!this.#isThere) {
      const { rows } = await db.query<{ there: boolean }>(prepared(`SELECT to_regclass('chain.labels') IS NOT NULL AS there`));
      this.#isThere = rows[0]?.there === true;
    }
    return this.#isThere;
  }
}

function isSanctions(category: string): boolean {
  return weightOf(category).risk_type === 'sanctioned_entity';
}

/** As labels are stored. A wrong checksum by case alone is overlooked: better one listed too many. Undefined for what is nobody's address. */
function normalised({ chain: name, address: text }: AddressOf): AddressOf | undefined {
  const chain = chains.find((one: Chain) => one === name);
  if (chain === undefined) return undefined;
  const address = parseAddress(chain, text) ?? parseAddress(chain, text.toLowerCase());
  return address === undefined || isNobody(chain, address) ? undefined : { chain, address };
}

function keyOf({ chain, address }: AddressOf): string {
  return `${chain}\n${address}`;
}
