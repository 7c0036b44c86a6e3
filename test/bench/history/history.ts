import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { migrate, openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';
import { accessMigrations } from '@weir/service-kit';
import { consoleMigrations } from '../../../services/console/src/migrations.ts';
import { type Line, percentile } from '../line.ts';
import { drawSample, openHistoryConsole } from './console.ts';
import { fillScreenings, sizeOf } from './fill.ts';
import { explainAll, recordStatements } from './plans.ts';
import { historyQueries } from './queries.ts';

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
    return [...lines, ...(await measureHistory(pool, print))];
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function tell(rows: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${rows} screenings`);
}

/** Of a base that is filled. */
export async function measureHistory(pool: Pool, print: (line: Line) => void): Promise<Line[]> {
  const recording = recordStatements(pool);
  const opened = await openHistoryConsole(pool, recording.pool);
  const lines: Line[] = [];
  for (const query of historyQueries(await drawSample(pool))) {
    const path = await opened.pathOf(query);
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      recording.taken();
      const began = performance.now();
      await opened.get(path);
      times.push(performance.now() - began);
      // A statement beyond any use is measured once.
      if ((times[0] ?? 0) > 2_000) break;
    }
    recording.taken();
    const { items, next_cursor: next } = await opened.get(path);
    const { rows, rollupRows, pages, nodes } = await explainAll(pool, recording.taken());
    const p99 = percentile(times, 0.99);
    const got = items === undefined ? '' : `${items.length} rows${next == null ? '' : ' and more'}; `;
    const plans = [...nodes].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(', ');
    const note = `${p99 < limitMs ? '' : `over ${limitMs} ms, `}p50 ${percentile(times, 0.5).toFixed(1)}, first ${(times[0] ?? 0).toFixed(1)}; ${got}${rows} rows${rollupRows > 0 ? `, ${rollupRows} of rollups` : ''} and ${pages} pages read: ${plans}`;
    const line = { name: `${query.name}, p99`, value: p99, unit: 'ms', note };
    print(line);
    lines.push(line);
  }
  return lines;
}
