import { type Chain, isNobody } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { canonicalCategory, type RiskStore, countedLabels } from '@weir/risk-engine';
import { actionOf } from './categories.ts';
import { type Known, labelledSides } from './labelled.ts';
import type { AddressSubject } from './subject.ts';

/** Distinct names, largest first, at most a hundred; `count` is the number of all. */
type Named<List extends string> = { readonly count: number } & Readonly<Record<`${List}_list`, string[]>>;

export interface AddressTrace {
  readonly first_address: string;
  readonly use_platform: {
    readonly exchange: Named<'exchange'>;
    readonly dex: Named<'dex'>;
    readonly mixer: Named<'mixer'>;
    readonly nft: Named<'nft'>;
  };
  readonly malicious_event: {
    readonly phishing: Named<'phishing'>;
    readonly ransom: Named<'ransom'>;
    readonly stealing: Named<'stealing'>;
    readonly laundering: Named<'laundering'>;
  };
  readonly relation_info: { readonly wallet: Named<'wallet'>; readonly ens: Named<'ens'>; readonly twitter: Named<'twitter'> };
}

const mostNames = 100;

/**
 * Categories that name an event, of the address or of its counterparties. Others, such as sanctions, fit none of the four. Any dealing
 * with a mixer is laundering.
 */
const events = {
  phishing: new Set(['phishing', 'scam']),
  ransom: new Set(['ransom']),
  stealing: new Set(['theft']),
  laundering: new Set(['mixer']),
} as const;

export async function addressTrace(db: Queryable, store: RiskStore, subject: AddressSubject): Promise<AddressTrace> {
  const { chain, address, atMs } = subject;
  const [sides, first, own] = await Promise.all([
    labelledSides(store, subject),
    firstFunder(db, chain, address),
    store.labelsOf(chain, [address], atMs),
  ]);
  const known = [...sides.in.known, ...sides.out.known].toSorted((a, b) => b.flow.usd - a.flow.usd || b.flow.transfers - a.flow.transfers);
  const labels = countedLabels(own.get(address) ?? []);
  const involved = [...labels, ...known.flatMap((peer) => peer.labels)];
  const platforms = (action: string): string[] =>
    known.filter((peer: Known) => actionOf(peer.labels) === action).map((peer) => peer.labels[0].name);
  const named = (categories: ReadonlySet<string>): string[] =>
    involved.filter(({ category }) => categories.has(canonicalCategory(category))).map(({ name }) => name);
  const names = labels.map(({ name }) => name);
  return {
    first_address: first === undefined ? '' : await nameOf(store, subject, first),
    use_platform: {
      exchange: listed('exchange', platforms('Exchange')),
      dex: listed('dex', platforms('DEX')),
      mixer: listed('mixer', platforms('Mixer')),
      nft: listed('nft', platforms('NFT')),
    },
    malicious_event: {
      phishing: listed('phishing', named(events.phishing)),
      ransom: listed('ransom', named(events.ransom)),
      stealing: listed('stealing', named(events.stealing)),
      laundering: listed('laundering', named(events.laundering)),
    },
    relation_info: {
      wallet: listed(
        'wallet',
        labels.filter(({ category }) => category.toLowerCase() === 'wallet').map(({ name }) => name),
      ),
      ens: listed(
        'ens',
        names.filter((name) => /^[^\s.]+(\.[^\s.]+)*\.eth$/i.test(name)),
      ),
      twitter: listed(
        'twitter',
        names.filter((name) => /^@\w{1,15}$/.test(name)),
      ),
    },
  };
}

function listed<List extends string>(list: List, names: readonly string[]): Named<List> {
  const distinct = [...new Set(names)];
  return { count: distinct.length, [`${list}_list`]: distinct.slice(0, mostNames) } as Named<List>;
}

async function nameOf(store: RiskStore, { chain, atMs }: AddressSubject, address: string): Promise<string> {
  const labels = await store.labelsOf(chain, [address], atMs);
  return countedLabels(labels.get(address) ?? [])[0]?.name ?? address;
}

/** Coins searched, and earliest transfers of each. An address that mints or pays itself more often first has no known funder. */
const mostCoins = 100;
const mostFirst = 100;

/** One index lookup for each coin. */
async function firstFunder(db: Queryable, chain: Chain, address: string): Promise<string | undefined> {
  const { rows } = await db.query<{ from_address: string }>(
    `SELECT t.from_address FROM (
       SELECT coin FROM chain.address_stats WHERE chain = $1 AND address = $2 AND received_transfers > 0 ORDER BY first_at, coin LIMIT ${mostCoins}) s
     CROSS JOIN LATERAL (
       SELECT from_address, at, txid, position FROM chain.transfers t
       WHERE t.chain = $1 AND t.to_address = $2 AND t.coin = s.coin ORDER BY at, txid, position LIMIT ${mostFirst}) t
     ORDER BY t.at, t.txid, t.position`,
    [chain, address],
  );
  return rows.map((row) => row.from_address).find((from) => from !== address && !isNobody(chain, from));
}
