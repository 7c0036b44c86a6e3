import { compare } from '../combine.ts';
import { addFlows, flowOf, noFlow } from '../flow.ts';
import type { Flows, Flow, Label, Leg, Movement, RiskStore, Side, VaultShare } from '../store.ts';
import { clustersOf, type CoSpendRow, labelsThrough } from './clusters.ts';
import { historyOf } from './history.ts';

export interface TransferRow {
  readonly chain: string;
  readonly txid: string;
  /** null: minting or burning. */
  readonly from: string | null;
  readonly to: string | null;
  readonly usd: number | null;
  /** Unix milliseconds; 0 if absent. */
  readonly at?: number;
  /** 0 if absent. */
  readonly position?: number;
  readonly coin?: string;
  readonly amount?: string | null;
  readonly coin_join?: true;
}

/** Valid from `valid_from` (Unix milliseconds; null: always) until before `valid_to` (null: still). */
export interface LabelRow extends Label {
  readonly chain: string;
  readonly address: string;
  readonly valid_from: number | null;
  readonly valid_to: number | null;
}

interface Index {
  readonly labels: ReadonlyMap<string, readonly LabelRow[]>;
  readonly sides: Readonly<Record<Side, ReadonlyMap<string, Flows>>>;
  readonly legs: ReadonlyMap<string, readonly Leg[]>;
  /** By address. */
  readonly movements: ReadonlyMap<string, readonly Movement[]>;
  readonly transactions: ReadonlyMap<string, readonly Movement[]>;
}

const addressesPerCall = 2_000;
const movementsPerTransaction = 1_000;
const receiptsEach = 20;

/** Keeps the port's rules and bound of addresses (a RangeError). Lists every labelled counterparty. */
export function memoryStore(rows: {
  readonly labels: readonly LabelRow[];
  readonly transfers: readonly TransferRow[];
  readonly co_spends?: readonly CoSpendRow[];
  readonly draw_key?: string;
}): RiskStore {
  const clusterOf = clustersOf(rows.co_spends ?? []);
  const index = indexOf(rows.labels, rows.transfers);
  const shares = rows.transfers.filter(({ from, to }) => from !== to);
  const ownOf = (chain: string, address: string, atMs: number): Label[] =>
    (index.labels.get(keyOf(chain, address)) ?? []).filter((row) => isValid(row, atMs)).map(labelOf);
  return {
    hasContracts: () => true,
    drawKey: async () => Buffer.from(rows.draw_key ?? 'memory'),
    async labelsOf(chain, addresses, atMs) {
      const found = new Map<string, readonly Label[]>();
      for (const address of addresses) {
        const labels = [
          ...ownOf(chain, address, atMs),
          ...labelsThrough(clusterOf(chain, address), address, (of) => ownOf(chain, of, atMs)),
        ];
        if (labels.length > 0) found.set(address, labels);
      }
      return found;
    },
    async flows(chain, addresses, side) {
      refuseTooMany(addresses.length);
      const found = new Map<string, Flows>();
      for (const address of addresses) {
        const all = index.sides[side].get(keyOf(chain, address));
        const items = all?.items.filter((item) => index.labels.has(keyOf(chain, item.address))) ?? [];
        if (all !== undefined) found.set(address, { total: all.total, items });
      }
      return found;
    },
    async histories(chain, requests, bounds) {
      refuseTooMany(requests.length);
      return new Map(
        requests.flatMap((request) => {
          const movements = index.movements.get(keyOf(chain, request.address));
          return movements === undefined ? [] : [[request.address, historyOf(movements, request, bounds)] as const];
        }),
      );
    },
    async movementsIn(chain, txids) {
      refuseTooMany(txids.length);
      return new Map(
        txids.flatMap((txid) => {
          const found = index.transactions.get(keyOf(chain, txid)) ?? [];
          return found.length === 0 || found.length > movementsPerTransaction ? [] : [[txid, found] as const];
        }),
      );
    },
    async mintsIn(chain, txids) {
      refuseTooMany(txids.length);
      const wanted = new Set(txids);
      return shares.filter((row) => row.chain === chain && wanted.has(row.txid) && (row.from === null || row.to === null)).map(shareOf);
    },
    async receiptsOf(chain, holdings) {
      refuseTooMany(holdings.length);
      return holdings.flatMap(({ address, coin, at: until }) =>
        shares
          .filter(({ at = 0, ...row }) => row.chain === chain && row.to === address && row.coin === coin && at <= until)
          .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
          .slice(0, receiptsEach)
          .map(shareOf),
      );
    },
    async transfersOf(chain, txid) {
      return index.legs.get(keyOf(chain, txid)) ?? [];
    },
  };
}

function shareOf({ txid, at = 0, coin = '', from, to }: TransferRow): VaultShare {
  return { tx: txid, at, coin, from, to };
}

function refuseTooMany(addresses: number): void {
  if (addresses > addressesPerCall) throw new RangeError(`at most ${addressesPerCall} a call, not ${addresses}`);
}

function keyOf(chain: string, id: string): string {
  return `${chain}\n${id}`;
}

function isValid({ valid_from, valid_to }: LabelRow, atMs: number): boolean {
  return (valid_from === null || valid_from <= atMs) && (valid_to === null || valid_to > atMs);
}

function labelOf({ name, category, confidence, source, source_kind = 'curated' }: LabelRow): Label {
  return { name, category, confidence, source, source_kind };
}

/** Sorted, because sums of USD depend on the order. */
function indexOf(labels: readonly LabelRow[], transfers: readonly TransferRow[]): Index {
  const pairFlows: Record<Side, Map<string, Map<string, Flow>>> = { in: new Map(), out: new Map() };
  const legs = new Map<string, Leg[]>();
  const movements = new Map<string, Movement[]>();
  const transactions = new Map<string, Movement[]>();
  const ordered = transfers.toSorted(
    (a, b) => (b.usd ?? -1) - (a.usd ?? -1) || compare(a.from ?? '', b.from ?? '') || compare(a.to ?? '', b.to ?? ''),
  );
  for (const { chain, txid, from, to, usd, at = 0, position = 0, coin = '', ...mix } of ordered) {
    push(legs, keyOf(chain, txid), { from, to, usd, at, position, coin });
    if (from === null || to === null || from === to) continue;
    const flow = flowOf(usd);
    addTo(pairFlows.in, keyOf(chain, to), from, flow);
    addTo(pairFlows.out, keyOf(chain, from), to, flow);
    const movement = { at, tx: txid, position, from, to, usd, coin, ...mix };
    for (const address of [from, to]) push(movements, keyOf(chain, address), movement);
    push(transactions, keyOf(chain, txid), movement);
  }
  const labelsOf = new Map<string, LabelRow[]>();
  for (const row of labels) push(labelsOf, keyOf(row.chain, row.address), row);
  return { labels: labelsOf, sides: { in: dealingsOf(pairFlows.in), out: dealingsOf(pairFlows.out) }, legs, movements, transactions };
}

function push<Row>(lists: Map<string, Row[]>, key: string, row: Row): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [row]);
  else list.push(row);
}

function addTo(pairFlows: Map<string, Map<string, Flow>>, key: string, other: string, flow: Flow): void {
  const others = pairFlows.get(key) ?? new Map<string, Flow>();
  pairFlows.set(key, others.set(other, addFlows(others.get(other) ?? noFlow, flow)));
}

function dealingsOf(pairFlows: ReadonlyMap<string, ReadonlyMap<string, Flow>>): Map<string, Flows> {
  const flows = new Map<string, Flows>();
  for (const [key, others] of pairFlows) {
    const items = [...others]
      .map(([address, flow]) => ({ address, ...flow }))
      .sort((a, b) => b.usd - a.usd || b.transfers - a.transfers || compare(a.address, b.address));
    flows.set(key, { items, total: items.reduce<Flow>(addFlows, noFlow) });
  }
  return flows;
}
