import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';
import { migrateRiskApi } from '@weir/risk-api';
import { type Line, percentile } from '../line.ts';
import { type LoadFigures, measureLoad } from './load.ts';
import { measureQueries, type QueryFigures, walkLimitMs } from './queries.ts';
import { benchChain } from './rows.ts';

/** Each size has its own embedded PostgreSQL with shipped settings, filled by the importer. */
export async function benchStore(sizes: readonly number[], print: (line: Line) => void): Promise<Line[]> {
  const lines: Line[] = [];
  const typical: number[] = [];
  for (const size of sizes) {
    const { load, bytes, queries } = await measureSize(size);
    const told = [...loadLines(size, load, bytes), ...queryLines(size, queries)];
    told.forEach(print);
    lines.push(...told);
    typical.push(percentile([...queries.uniform, ...queries.weighted], 0.5));
  }
  const growth = (typical.at(-1) ?? Number.NaN) / (typical[0] ?? Number.NaN);
  const last = { name: `growth of p50 from ${sizes[0]} to ${sizes.at(-1)} transfers`, value: growth, unit: 'x' };
  print(last);
  return [...lines, last];
}

interface Bytes {
  readonly perTransfer: number;
  readonly perEdge: number;
  readonly total: number;
}

interface SizeFigures {
  readonly load: LoadFigures;
  readonly bytes: Bytes;
  readonly queries: QueryFigures;
}

async function measureSize(size: number): Promise<SizeFigures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const pool = openPool({ url: server.url, statementTimeoutMs: 600_000 });
  try {
    await migrateRiskApi(pool);
    const chain = benchChain(size);
    const load = await measureLoad(pool, chain);
    // Autovacuum does this within minutes; it enables index-only scans.
    await pool.query('VACUUM (ANALYZE) chain.edges, chain.sides, chain.labels');
    return { load, queries: await measureQueries(pool, chain), bytes: await measureBytes(pool) };
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureBytes(pool: Pool): Promise<Bytes> {
  const { rows } = await pool.query<Record<keyof Bytes, number>>(
    `SELECT pg_total_relation_size('chain.transfers')::float8 / (SELECT count(*) FROM chain.transfers) AS "perTransfer",
       pg_total_relation_size('chain.edges')::float8 / (SELECT count(*) FROM chain.edges) AS "perEdge",
       (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = 'chain'::regnamespace AND relkind = 'r')::float8
         / (SELECT count(*) FROM chain.transfers) AS total`,
  );
  return rows[0] ?? { perTransfer: Number.NaN, perEdge: Number.NaN, total: Number.NaN };
}

const ofSize = (size: number): string => `of ${size.toExponential(0).replace('+', '')} transfers`;

function loadLines(size: number, load: LoadFigures, bytes: Bytes): Line[] {
  return [
    { name: `import ${ofSize(size)}`, value: load.imported, unit: '/s' },
    { name: 'plain COPY with the primary key', value: load.copiedWithKey, unit: '/s', note: ratio(load.imported, load.copiedWithKey) },
    { name: 'plain COPY without an index', value: load.copiedPlain, unit: '/s', note: ratio(load.imported, load.copiedPlain) },
    {
      name: 'stored for each transfer, sums and indexes too',
      value: bytes.total,
      unit: 'bytes',
      note: `${Math.round(bytes.perTransfer)} a transfer, ${Math.round(bytes.perEdge)} an edge`,
    },
  ];
}

function queryLines(size: number, queries: QueryFigures): Line[] {
  const scores = (name: string, times: readonly number[]): Line[] =>
    [0.5, 0.99].map((share) => ({ name: `score ${ofSize(size)}, ${name}, p${share * 100}`, value: percentile(times, share), unit: 'ms' }));
  return [
    ...scores('any address', queries.uniform),
    ...scores('by dealings', queries.weighted),
    ...queries.walks.map(({ hops, times }) => ({
      name: `${hops} hops of the same by a recursive statement, p50`,
      value: Math.min(percentile(times, 0.5), walkLimitMs),
      unit: 'ms',
      note: `${times.filter((ms) => ms === Number.POSITIVE_INFINITY).length} of ${times.length} given up after ${walkLimitMs} ms`,
    })),
  ];
}

function ratio(imported: number, copied: number): string {
  return `the import at ${(imported / copied).toFixed(3)} of it`;
}
