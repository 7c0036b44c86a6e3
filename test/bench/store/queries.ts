import { createRiskStore } from '@weir/chain-store';
import type { Pool } from '@weir/postgres';
import { scoreAddress } from '@weir/risk-engine';
import { seededRandom } from '../../support/stack/random.ts';
import type { BenchChain } from './rows.ts';

const scored = 100;
const walked = 5;
const warmUp = 10;
export const walkLimitMs = 2_000;
/** A score reads seven hops; plain SQL may only finish three. */
const walkHops = [3, 7];
const atMs = Date.UTC(2026, 0, 1);

export interface QueryFigures {
  /** Milliseconds per score, for addresses drawn uniformly and by number of transfers. */
  readonly uniform: readonly number[];
  readonly weighted: readonly number[];
  readonly walks: readonly Walks[];
}

interface Walks {
  readonly hops: number;
  /** Infinity after `walkLimitMs`. */
  readonly times: readonly number[];
}

export async function measureQueries(pool: Pool, chain: BenchChain): Promise<QueryFigures> {
  const [uniform, weighted] = [await drawUniform(pool, scored + warmUp), await drawWeighted(chain, scored + warmUp)];
  const store = createRiskStore(pool);
  const score = (address: string): Promise<unknown> => scoreAddress(store, 'ethereum', address, atMs);
  for (const address of [...uniform.slice(scored), ...weighted.slice(scored)]) await score(address);
  const walks: Walks[] = [];
  for (const hops of walkHops) {
    const both = [...uniform.slice(0, walked), ...weighted.slice(0, walked)];
    walks.push({ hops, times: await timesOf(both, (address) => walk(pool, address, hops)) });
  }
  return {
    uniform: await timesOf(uniform.slice(0, scored), score),
    weighted: await timesOf(weighted.slice(0, scored), score),
    walks,
  };
}

async function timesOf(addresses: readonly string[], work: (address: string) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const address of addresses) {
    const began = performance.now();
    const gaveUp = (await work(address)) === false;
    times.push(gaveUp ? Number.POSITIVE_INFINITY : performance.now() - began);
  }
  return times;
}

async function drawUniform(pool: Pool, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ address: string }>(
    `SELECT address FROM (SELECT DISTINCT address FROM chain.sides) a ORDER BY md5(address) LIMIT $1`,
    [count],
  );
  return rows.map(({ address }) => address);
}

/** Draws an end of a random transfer, so that busy addresses are more likely. */
async function drawWeighted(chain: BenchChain, count: number): Promise<string[]> {
  const random = seededRandom(2);
  const wanted = new Set(Array.from({ length: count }, () => 1 + Math.floor(random() * Math.min(chain.size, 1_000_000))));
  const drawn: string[] = [];
  for await (const record of chain.transfers()) {
    const row = 'rows' in record ? record.rows[0] : undefined;
    if (row !== undefined && wanted.delete(record.number)) drawn.push(random() < 0.5 ? row.from_address : row.to_address);
    if (wanted.size === 0) break;
  }
  return drawn;
}

/** The engine's question in one unbounded statement. False on a timeout. */
async function walk(pool: Pool, address: string, hops: number): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query(`SET statement_timeout = ${walkLimitMs}`);
    await client.query(walkStatement, ['ethereum', address, hops]);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== '57014') throw error;
    return false;
  } finally {
    client.release(true);
  }
}

const walkStatement = `
  WITH RECURSIVE walk AS (
    SELECT side, $2::text COLLATE "C" AS address, 1::float8 AS share, 0 AS hop FROM unnest(ARRAY[0, 1]::smallint[]) AS side
    UNION ALL
    SELECT w.side, e.peer, w.share * ((e.usd / nullif(s.usd, 0))::float8 * (s.transfers - s.unknown_transfers) + e.unknown_transfers) / s.transfers, w.hop + 1
    FROM walk w
    JOIN chain.sides s ON s.chain = $1 AND s.address = w.address AND s.side = w.side
    JOIN chain.edges e ON left(e.address, 12) = left(w.address, 12) AND e.chain = $1 AND e.address = w.address AND e.side = w.side
    WHERE w.hop < $3 AND (w.hop = 0 OR NOT EXISTS (SELECT FROM chain.labels l WHERE l.chain = $1 AND l.address = w.address)))
  SELECT w.side, w.hop, l.name, sum(w.share) FROM walk w JOIN chain.labels l ON l.chain = $1 AND l.address = w.address
  WHERE w.hop > 0 GROUP BY w.side, w.hop, l.name`;
