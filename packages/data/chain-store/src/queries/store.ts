import { type Chain, chains, hasInputs, isNobody, listedOn } from '@weir/chains';
import { prepared, type Queryable } from '@weir/postgres';
import { type Label, type Leg, type RiskStore, sanctionCategories } from '@weir/risk-engine';
import { flows } from './flows.ts';
import { histories } from './histories.ts';
import { movementsIn } from './movements-in.ts';
import { drawKeyOf } from './draw-key.ts';
import { labelsOfClusters } from './shared-labels.ts';
import { mintsIn, receiptsOf } from './vault-shares.ts';

/** The largest known transaction has about 3,000. */
const maxLegs = 10_000;

export function createRiskStore(db: Queryable): RiskStore {
  return {
    hasContracts: (chain) => chains.some((known) => known === chain && !hasInputs(known)),
    labelsOf: (chain, addresses, atMs) => labelsOf(db, chain, addresses, atMs),
    flows: (chain, addresses, side) => flows(db, chain, addresses, side),
    histories: async (chain, requests, bounds) => {
      const known = findChain(chain);
      return known === undefined ? new Map() : histories(db, known, requests, bounds);
    },
    movementsIn: async (chain, txids) => {
      const known = findChain(chain);
      return known === undefined ? new Map() : movementsIn(db, known, txids);
    },
    mintsIn: async (chain, txids) => {
      const known = findChain(chain);
      return known === undefined ? [] : mintsIn(db, known, txids);
    },
    receiptsOf: async (chain, holdings) => {
      const known = findChain(chain);
      return known === undefined ? [] : receiptsOf(db, known, holdings);
    },
    transfersOf: (chain, txid) => transfersOf(db, chain, txid),
    drawKey: drawKeyOf(db),
  };
}

const labelsStatement = prepared(
  'SELECT address, name, category, confidence, source, source_kind FROM chain.labels_of($1, $2, $3, $4, $5)',
);

async function labelsOf(db: Queryable, chain: string, addresses: readonly string[], atMs: number): Promise<Map<string, Label[]>> {
  const known = findChain(chain);
  const wanted = known === undefined ? [] : addresses.filter((address) => !isNobody(known, address));
  const labels = new Map<string, Label[]>();
  if (wanted.length === 0) return labels;
  const { rows } = await db.query<Label & { address: string }>(labelsStatement, [
    chain,
    wanted,
    new Date(atMs),
    known === undefined ? [] : listedOn(known),
    sanctionCategories,
  ]);
  for (const { address, ...label } of rows) {
    const list = labels.get(address) ?? [];
    list.push(label);
    labels.set(address, list);
  }
  const shared = known !== undefined && hasInputs(known) ? await labelsOfClusters(db, known, wanted, atMs) : [];
  for (const [address, more] of shared) labels.set(address, [...(labels.get(address) ?? []), ...more]);
  return labels;
}

interface LegRow {
  readonly from_address: string;
  readonly to_address: string;
  readonly usd: number | null;
  readonly at: Date;
  readonly position: number;
  readonly coin: string;
}

async function transfersOf(db: Queryable, chain: string, txid: string): Promise<Leg[]> {
  const known = findChain(chain);
  if (known === undefined) return [];
  const { rows } = await db.query<LegRow>(
    `WITH legs AS (
       SELECT from_address, to_address, usd, at, position, coin, dealing FROM chain.transfers
       WHERE hashtextextended(txid, 0) = hashtextextended($2 COLLATE "C", 0) AND txid = $2 AND chain = $1
       ORDER BY dealing DESC, usd DESC NULLS LAST, from_address, to_address, position, coin LIMIT ${maxLegs})
     SELECT from_address, to_address, usd::float8, at, position, coin FROM legs WHERE dealing OR NOT EXISTS (SELECT FROM legs WHERE dealing)
     ORDER BY legs.usd DESC NULLS LAST, from_address, to_address, position, coin`,
    [chain, txid],
  );
  const somebody = (address: string): string | null => (isNobody(known, address) ? null : address);
  return rows.map(({ from_address, to_address, usd, at, position, coin }) => ({
    from: somebody(from_address),
    to: somebody(to_address),
    usd,
    at: at.getTime(),
    position,
    coin,
  }));
}

function findChain(name: string): Chain | undefined {
  return chains.find((chain) => chain === name);
}
