import type { Queryable } from '@weir/postgres';
import { labelledAddresses } from '../../clusters/member-labels.ts';
import { isInternal } from '../transfer-batch.ts';
import { bothSides, pairsOf, statsColumns, statsOf } from '../transfer-sums.ts';
import { createTwin, indexTwin, schema } from './twins.ts';

/** The loaded tables. The first holds the transfers, the others their sums. */
export const loadedTables = ['transfers', 'edges', 'sides', 'address_stats'] as const;

export interface Counts {
  /** As in a batch: new transfers, and those that a later row of the same transfer raised. */
  readonly changed: number;
  /** Decimal. */
  readonly mergedUsd: string;
}

const key = 'txid, chain, position, coin, from_address, to_address';
/** Transfers with different keys have it in common only by chance. */
const keyHash = 'hashtextextended(txid, position)';
const columns = 'chain, txid, position, from_address, to_address, coin, amount, usd, at, source, dealing';

/** Makes `given`, the staged transfers each once, and `changes`, the same in the form of a batch's changes. */
export async function mergeRepeated(db: Queryable, staged: string): Promise<Counts> {
  await db.query(`ANALYZE ${staged}`);
  await db.query(
    `CREATE TABLE ${schema}.repeated AS SELECT s.ctid AS place, s.* FROM ${staged} s
     WHERE ${keyHash} IN (SELECT ${keyHash} FROM ${staged} GROUP BY 1 HAVING count(*) > 1)`,
  );
  await db.query(
    `CREATE TABLE ${schema}.merged AS
     SELECT DISTINCT ON (${key}) chain, txid, position, from_address, to_address, coin, max(amount) OVER same AS amount, max(usd) OVER same AS usd, at, source,
       bool_or(dealing) OVER same AS dealing, (amount, usd) IS DISTINCT FROM (max(amount) OVER same, max(usd) OVER same) AS raised
     FROM ${schema}.repeated WINDOW same AS (PARTITION BY ${key}) ORDER BY ${key}, n`,
  );
  const { rows } = await db.query<{ repeated: number; merged: number; raised: number; merged_usd: string; staged: number }>(
    `SELECT (SELECT count(*) FROM ${staged})::float8 AS staged, (SELECT count(*) FROM ${schema}.repeated)::float8 AS repeated, count(*)::float8 AS merged, count(*) FILTER (WHERE raised)::float8 AS raised,
       trim_scale(coalesce((SELECT sum(usd) FROM ${schema}.repeated), 0) - coalesce(sum(usd), 0))::text AS merged_usd FROM ${schema}.merged`,
  );
  const { staged: given = 0, repeated = 0, merged = 0, raised = 0, merged_usd: mergedUsd = '0' } = rows[0] ?? {};
  const all = `SELECT ${columns} FROM ${staged} s`;
  const once = `${all} WHERE NOT EXISTS (SELECT FROM ${schema}.repeated r WHERE r.place = s.ctid) UNION ALL SELECT ${columns} FROM ${schema}.merged`;
  await db.query(`CREATE VIEW ${schema}.given AS ${repeated === 0 ? all : once}`);
  await db.query(
    `CREATE VIEW ${schema}.changes AS SELECT chain, txid, from_address, to_address, coin, 1 AS transfers, (usd IS NULL)::int AS unknown_transfers,
       coalesce(amount, 0) AS amount, coalesce(usd, 0) AS usd, at, dealing::int AS dealings, (dealing AND usd IS NULL)::int AS unknown_dealings,
       (${isInternal})::int AS internal FROM ${schema}.given`,
  );
  return { changed: given - repeated + merged + raised, mergedUsd };
}

/** Neighbours in the table are transfers of one sender, in the order of time: a history is read from few pages. */
export async function buildTransfers(db: Queryable): Promise<void> {
  await createTwin(db, 'transfers');
  await db.query(
    `INSERT INTO ${schema}.transfers (${columns}) SELECT ${columns} FROM ${schema}.given ORDER BY from_address, chain, coin, at DESC`,
  );
  await indexTwin(db, 'transfers');
}

export async function buildSums(db: Queryable, nobodies: readonly string[]): Promise<void> {
  await createTwin(db, 'edges');
  await db.query(
    `WITH ${pairsOf(`${schema}.changes`)}
     INSERT INTO ${schema}.edges (chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd)
     SELECT p.chain, p.address, p.side, p.peer, l.address IS NOT NULL, p.transfers, p.unknown_transfers, p.usd
     FROM (${bothSides}) p LEFT JOIN (${labelledAddresses}) l ON l.chain = p.chain AND l.address = p.peer
     ORDER BY p.address`,
    [nobodies],
  );
  await indexTwin(db, 'edges');
  await createTwin(db, 'sides');
  await db.query(
    `INSERT INTO ${schema}.sides (chain, address, side, peers, transfers, unknown_transfers, usd)
     SELECT chain, address, side, count(*), sum(transfers), sum(unknown_transfers), sum(usd) FROM ${schema}.edges
     GROUP BY chain, address, side ORDER BY address`,
  );
  await indexTwin(db, 'sides');
  await createTwin(db, 'address_stats');
  await db.query(`INSERT INTO ${schema}.address_stats (${statsColumns}) ${statsOf(`${schema}.changes`)}`);
  await indexTwin(db, 'address_stats');
}
