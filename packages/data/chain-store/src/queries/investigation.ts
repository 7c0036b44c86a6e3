import { findToken, parseTxid } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { type Label, type RiskStore, countedLabels } from '@weir/risk-engine';
import { kindOf } from './categories.ts';
import { pageOf, type PageQuery, pageRows, type TransferOf } from './page.ts';

interface CounterpartyUnit {
  readonly address: string;
  /** 1 plain, 2 malicious, 3 labelled entity, 4 contract. */
  readonly type: 1 | 2 | 3 | 4;
  /** Excludes transfers without a hash in their source, whose stored key is not a hash. */
  readonly tx_hash_list: string[];
  /** In the coin, 4 decimals; unknown amounts add nothing. */
  readonly amount: number;
  readonly label: string;
}

export interface Investigation {
  readonly in: CounterpartyUnit[];
  readonly out: CounterpartyUnit[];
  readonly page: number;
  readonly total_pages: number;
  readonly transactions_on_page: number;
}

/** One page of an address's transfers in one coin, newest first, grouped by counterparty. A transfer to oneself appears on both sides. */
export async function investigate(db: Queryable, store: RiskStore, query: PageQuery & { atMs: number }): Promise<Investigation> {
  const { transfers, total } = await pageOf(db, query);
  const peers = [...new Set(transfers.map(({ peer }) => peer))];
  const labels = peers.length === 0 ? new Map<string, readonly Label[]>() : await store.labelsOf(query.chain, peers, query.atMs);
  const unitsOf = (side: TransferOf['side']): CounterpartyUnit[] =>
    grouped(transfers.filter((transfer) => transfer.side === side)).map(([peer, own]) => unitOf(query, peer, own, labels.get(peer) ?? []));
  return {
    in: unitsOf('in'),
    out: unitsOf('out'),
    page: query.page,
    total_pages: Math.ceil(total / pageRows),
    transactions_on_page: transfers.length,
  };
}

function grouped(transfers: readonly TransferOf[]): [string, TransferOf[]][] {
  const groups = new Map<string, TransferOf[]>();
  for (const transfer of transfers) {
    const group = groups.get(transfer.peer);
    if (group === undefined) groups.set(transfer.peer, [transfer]);
    else group.push(transfer);
  }
  return [...groups];
}

function unitOf({ chain }: PageQuery, peer: string, transfers: readonly TransferOf[], labels: readonly Label[]): CounterpartyUnit {
  const [label] = countedLabels(labels);
  const isContract = findToken(chain, peer) !== undefined;
  const amount = transfers.reduce((sum, transfer) => sum + (transfer.amount ?? 0), 0);
  return {
    address: peer,
    type: label === undefined ? (isContract ? 4 : 1) : kindOf(label).unit,
    tx_hash_list: [...new Set(transfers.map(({ txid }) => txid).filter((txid) => parseTxid(chain, txid) !== undefined))],
    amount: Math.round(amount * 10_000) / 10_000,
    label: label?.name ?? '',
  };
}
