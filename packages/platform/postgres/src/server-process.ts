import { systemClock } from '@weir/clock';
import { openPool, startEmbeddedPostgres } from './index.ts';

/** For tests to kill: writes rows and prints how many are committed. */
const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', clock: systemClock });
const pool = openPool({ url: server.url });
await pool.query('CREATE TABLE IF NOT EXISTS written (n int8)');
for (let n = 1; ; n += 1) {
  await pool.query('INSERT INTO written VALUES ($1)', [n]);
  process.stdout.write(`${n}\n`);
}
