import type { Measured } from './decisions.ts';
import type { System } from './system.ts';

const batch = 250;

/** The baseline: rows as large as a decision, each batch one durable transaction, one at a time. */
export async function measureInserts({ pipeline: { pool } }: System, count: number, bytes: number, run: string): Promise<Measured> {
  const table = `bench_inserts_${run}`;
  await pool.query(`CREATE TABLE ${table} (id text PRIMARY KEY, value bytea NOT NULL)`);
  const value = Buffer.alloc(bytes, 7);
  const began = performance.now();
  for (let at = 0; at < count; at += batch) {
    const ids = Array.from({ length: Math.min(batch, count - at) }, (_, n) => `row-${at + n}`);
    await pool.query(`INSERT INTO ${table} SELECT u.id, $2 FROM unnest($1::text[]) AS u(id)`, [ids, value]);
  }
  const seconds = (performance.now() - began) / 1_000;
  await pool.query(`DROP TABLE ${table}`);
  return { name: 'plain batched inserts', count, seconds, perSecond: count / seconds };
}
