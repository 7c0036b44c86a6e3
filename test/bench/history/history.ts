import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, systemClock } from '@weir/clock';
import { migrate, openPool, type Pool, type Queryable, startEmbeddedPostgres } from '@weir/postgres';
import { Access, accessMigrations, createApp, createLogger, createMetrics, storeToken } from '@weir/service-kit';
import { encodeCursor } from '../../../services/console/src/cursor.ts';
import { historyOperations } from '../../../services/console/src/history/routes.ts';
import { consoleMigrations } from '../../../services/console/src/migrations.ts';
import { reviewOperations } from '../../../services/console/src/reviews/routes.ts';
import { screeningOperations } from '../../../services/console/src/routes.ts';
import { type Line, percentile } from '../line.ts';
import { fillScreenings, since, sizeOf, until } from './fill.ts';
import { type HistoryQuery, historyQueries } from './queries.ts';

const runs = 20;
const limitMs = 50;

/** Lists, sums and statistics of a console with `size` screenings, as its HTTP operations answer, each with the plans of its statements. */
export async function benchHistory(size: number, print: (line: Line) => void): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const pool = openPool({ url: server.url, max: 4 });
  try {
    await migrate(pool, 'access', accessMigrations);
    await migrate(pool, 'console', consoleMigrations);
    const began = performance.now();
    await fillScreenings(pool, size, tell);
    const filled = (performance.now() - began) / 1_000;
    const { table, indexes } = await sizeOf(pool);
    const lines = [
      { name: `history: ${size} screenings filled`, value: filled, unit: 's' },
      { name: 'history: bytes a screening', value: table / size, unit: 'B', note: `and ${Math.round(indexes / size)} in indexes` },
    ];
    lines.forEach(print);
    const measure = await openConsole(pool);
    for (const query of historyQueries(await drawSample(pool, size))) {
      const line = await measure(query);
      print(line);
      lines.push(line);
    }
    return lines;
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function tell(rows: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${rows} screenings`);
}

async function drawSample(pool: Pool, size: number): Promise<{ address: string; user: string; txid: string }> {
  const { rows } = await pool.query<{ address: string; user: string; txid: string }>(
    `SELECT request -> 'transfer' ->> 'to_address' AS address, request -> 'transfer' ->> 'user_id' AS "user", request -> 'transfer' ->> 'txid' AS txid
     FROM console.screenings WHERE requested_at > $1 AND kind = 'deposit' AND request -> 'transfer' ->> 'user_id' <> 'u-hot' ORDER BY requested_at LIMIT 1`,
    [new Date(since + (until - since) * ((size / 2 + 5) / size))],
  );
  if (rows[0] === undefined) throw new Error('the base is empty');
  return rows[0];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

async function openConsole(pool: Pool): Promise<(query: HistoryQuery) => Promise<Line>> {
  let recorded: Statement[] | undefined;
  const db: Queryable = {
    query: (text, values = []) => {
      recorded?.push({ text, values });
      return pool.query(text, values);
    },
  };
  const clock = new ManualClock(until);
  await storeToken(pool, 'bench', 'auditor', 'bench');
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const access = new Access({ db: pool, clock: systemClock, logger, metrics: createMetrics() });
  const parts = { db: db as Pool, access, clock, reviewService: undefined as never };
  const app = createApp(logger, [...screeningOperations(parts.db, access), ...reviewOperations(parts), ...historyOperations(parts)]);
  const get = async (path: string): Promise<{ items?: unknown[]; next_cursor?: string | null }> => {
    const answer = await app.request(path, { headers: { authorization: 'Bearer bench' } });
    if (answer.status >= 500) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { items?: unknown[]; next_cursor?: string | null };
  };
  return async (query) => {
    const path = await lastPage(query, get);
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const began = performance.now();
      await get(path);
      times.push(performance.now() - began);
      // A statement beyond any use is measured once.
      if ((times[0] ?? 0) > 2_000) break;
    }
    recorded = [];
    const answer = await get(path);
    const plans = await explain(pool, recorded);
    recorded = undefined;
    const p99 = percentile(times, 0.99);
    const got = answer.items === undefined ? '' : `${answer.items.length} rows${answer.next_cursor == null ? '' : ' and more'}; `;
    const note = `p50 ${percentile(times, 0.5).toFixed(1)}, first ${(times[0] ?? 0).toFixed(1)}; ${got}${plans}`;
    return { name: `${p99 < limitMs ? '' : 'SLOW '}${query.name}, p99`, value: p99, unit: 'ms', note };
  };
}

/** The path of the page to measure. */
async function lastPage(
  { path, pages = 1 }: HistoryQuery,
  get: (path: string) => Promise<{ next_cursor?: string | null }>,
): Promise<string> {
  const withCursor = (cursor: string): string => `${path}${path.endsWith('?') ? '' : '&'}cursor=${cursor}`;
  if (pages === 0) return withCursor(encodeCursor({ requestedAt: since + 60_000, screeningId: '00000000-0000-0000-0000-000000000000' }));
  let at = path;
  for (let page = 1; page < pages; page += 1) {
    const { next_cursor: next } = await get(at);
    if (next == null) return at;
    at = withCursor(next);
  }
  return at;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Rows that scans read, pages, and the scans of the plans by number. */
async function explain(pool: Pool, statements: readonly Statement[]): Promise<string> {
  const scans = new Map<string, number>();
  let rows = 0;
  let pages = 0;
  const visit = (node: Node): void => {
    if (node['Node Type'].includes('Scan') && !/CTE|Subquery|Function|Values/.test(node['Node Type'])) {
      const name = `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`.trim();
      scans.set(name, (scans.get(name) ?? 0) + 1);
      rows += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    } else if (node['Node Type'].includes('Sort')) scans.set(node['Node Type'], (scans.get(node['Node Type']) ?? 0) + 1);
    node.Plans?.forEach(visit);
  };
  for (const { text, values } of statements) {
    const { rows: found } = await pool.query<{
      'QUERY PLAN': [{ Plan: Node & { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }];
    }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const plan = found[0]?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) continue;
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    visit(plan);
  }
  return `${Math.round(rows)} rows, ${pages} pages: ${[...scans].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(', ')}`;
}
