import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { importChainRecords } from '@weir/risk-api';
import { from as copyFrom } from 'pg-copy-streams';
import { refuse, untimed } from './load.ts';
import { type BenchChain, copyLines } from './rows.ts';

/** Creates the indexes last, so it takes minutes instead of most of an hour. Stored rows equal those of an import, on fuller pages. */
export async function buildInBulk(pool: Pool, chain: BenchChain): Promise<void> {
  await importChainRecords(pool, {
    clock: systemClock,
    name: 'bench',
    onRejected: refuse,
    kind: 'labels',
    key: 'bench-labels',
    read: () => chain.labels(),
  });
  const client = await pool.connect();
  const run = (text: string) => client.query<{ name: string; definition: string }>(untimed({ text }));
  try {
    await run(`SET statement_timeout = 0; SET work_mem = '1GB'; SET maintenance_work_mem = '1GB'; SET synchronous_commit = off`);
    await run('CREATE UNLOGGED TABLE bench_paid (payer text COLLATE "C", payee text COLLATE "C", usd numeric)');
    await pipeline(
      Readable.from(copyLines(chain, (t) => [t.from_address, t.to_address, t.usd_value])),
      client.query(untimed(copyFrom('COPY bench_paid FROM STDIN'))),
    );
    const indexes = await run(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = 'chain' AND tablename = 'edges'`,
    );
    for (const { name } of indexes.rows) await run(`DROP INDEX chain.${name}`);
    for (const statement of sums) await run(statement);
    for (const { definition } of indexes.rows) await run(definition);
  } finally {
    client.release(true);
  }
}

const sums = [
  `CREATE UNLOGGED TABLE bench_pairs AS
   SELECT payer, payee, count(*) AS transfers, count(*) FILTER (WHERE usd IS NULL) AS unknown_transfers, coalesce(sum(usd), 0) AS usd
   FROM bench_paid WHERE payer <> payee GROUP BY payer, payee`,
  `INSERT INTO chain.edges (chain, address, side, peer, peer_labelled, transfers, unknown_transfers, usd)
   SELECT 'ethereum', e.address, e.side, e.peer, l.address IS NOT NULL, e.transfers, e.unknown_transfers, e.usd
   FROM (SELECT payee AS address, 0::smallint AS side, payer AS peer, transfers, unknown_transfers, usd FROM bench_pairs
     UNION ALL SELECT payer, 1::smallint, payee, transfers, unknown_transfers, usd FROM bench_pairs) e
   LEFT JOIN (SELECT DISTINCT address FROM chain.labels) l ON l.address = e.peer`,
  `INSERT INTO chain.sides (chain, address, side, peers, transfers, unknown_transfers, usd)
   SELECT chain, address, side, count(*), sum(transfers), sum(unknown_transfers), sum(usd) FROM chain.edges GROUP BY chain, address, side`,
  'DROP TABLE bench_paid, bench_pairs',
];
