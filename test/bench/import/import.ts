import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '@weir/clock';
import { openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';
import { migrateRiskApi } from '@weir/risk-api';
import { from as copyFrom } from 'pg-copy-streams';
import type { Line } from '../line.ts';
import { usageOfTree } from '../processes.ts';
import { columnsOf, untimed } from '../store/load.ts';
import { type BenchChain, benchChain, copyLines } from '../store/rows.ts';
import { type ImportFile, importFiles, writeImportFile } from './files.ts';

/** `weir transfers import` of a file into an empty embedded database, beside COPY of the same rows on the same server. */
export async function benchImport(size: number, print: (line: Line) => void): Promise<Line[]> {
  const chain = benchChain(size);
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-import-'));
  const lines: Line[] = [];
  try {
    for (const file of importFiles) {
      const path = join(folder, file.format);
      await writeImportFile(path, file, chain);
      lines.push(...(await measureFile(join(folder, `data-${file.format}`), path, file, chain)));
      lines.slice(lines.length - 3).forEach(print);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return lines;
}

async function measureFile(dataDir: string, path: string, { format }: ImportFile, chain: BenchChain): Promise<Line[]> {
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const pool = openPool({ url: server.url, statementTimeoutMs: 600_000 });
  try {
    await migrateRiskApi(pool);
    const copied = await measureCopies(pool, chain);
    const before = usageOfTree(process.pid).postgres.cpuSeconds;
    const began = performance.now();
    const own = await runImport(server.url, path, format);
    const seconds = (performance.now() - began) / 1_000;
    const database = usageOfTree(process.pid).postgres.cpuSeconds - before;
    const micros = (cpu: number): string => `${((cpu / chain.size) * 1e6).toFixed(0)} µs`;
    const rate = chain.size / seconds;
    return [
      {
        name: `weir transfers import of ${chain.size} ${format} records`,
        value: rate,
        unit: '/s',
        note: `CPU a transfer: ${micros(own)} Node, ${micros(database)} PostgreSQL`,
      },
      ...copied.map(({ name, value }) => ({ name, value, unit: '/s', note: `the import at ${(rate / value).toFixed(2)} of it` })),
    ];
  } finally {
    await pool.end();
    await server.stop();
  }
}

const tables = { 'without an index': 'INCLUDING DEFAULTS', "with the table's indexes": 'INCLUDING ALL' };

/** The rows are made before, so that the time is the database's. */
async function measureCopies(pool: Pool, chain: BenchChain): Promise<{ name: string; value: number }[]> {
  const rows = await Array.fromAsync(copyLines(chain, columnsOf));
  const measured = [];
  for (const [words, like] of Object.entries(tables)) {
    await pool.query(`CREATE TABLE bench_copy (LIKE chain.transfers ${like})`);
    const client = await pool.connect();
    const began = performance.now();
    const columns = 'chain, txid, position, from_address, to_address, coin, amount, usd, at, source';
    await pipeline(Readable.from(rows), client.query(untimed(copyFrom(`COPY bench_copy (${columns}) FROM STDIN`))));
    measured.push({ name: `COPY of the same rows ${words}`, value: (chain.size / (performance.now() - began)) * 1_000 });
    client.release(true);
    await pool.query('DROP TABLE bench_copy');
  }
  return measured;
}

const command = join(import.meta.dirname, '..', '..', '..', 'packages', 'cli', 'bin', 'weir.js');

/** The CPU seconds of the command. */
async function runImport(url: string, path: string, format: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=4',
      command,
      'transfers',
      'import',
      path,
      '--format',
      format,
      ...(format === 'csv' ? [] : ['--chain', 'ethereum']),
    ],
    { env: { ...process.env, DATABASE_URL: url }, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  let own = 0;
  const sampling = setInterval(() => {
    own = Math.max(own, usageOfTree(child.pid ?? 0).weir.cpuSeconds);
  }, 250);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(sampling);
  if (code !== 0) throw new Error(`weir transfers import ended with ${code}`);
  return own;
}
