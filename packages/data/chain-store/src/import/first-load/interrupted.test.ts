import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Pool } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImportObserver, listImports } from '../../index.ts';
import { address, contents, createChainDatabase, loadTransfers, recordsOf, transfer, txid, unobserved } from '../../testing.ts';
import { emptyAll, importStaged, leftovers, noLeftovers } from './first-load.testing.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createChainDatabase();
  pool = database.pool;
});
afterAll(() => database.drop());
beforeEach(() => emptyAll(pool));

describe('a first load that is interrupted', () => {
  const rows = Array.from({ length: 12 }, (_, n) => ({ ...transfer, txid: txid(n), to_address: address(101 + (n % 5)) }));

  it('at any record, by its signal, its source or its end, ends as one that was not', async () => {
    await loadTransfers(pool, rows);
    const whole = await contents(pool);
    const stop = fc.record({ at: fc.nat(12), how: fc.constantFrom('signal', 'source', 'observer') });
    await fc.assert(
      fc.asyncProperty(fc.array(stop, { maxLength: 4 }), async (stops) => {
        await emptyAll(pool);
        for (const { at, how } of stops) {
          const signal = new AbortController();
          const read = async function* (after: number) {
            for await (const record of recordsOf(rows, after)) {
              if (record.number > at && how === 'source') throw new Error('cut off');
              if (record.number > at && how === 'signal') signal.abort();
              yield record;
            }
          };
          const observer: ImportObserver = {
            ...unobserved,
            transfersStored: async () => {
              if (how === 'observer') throw new Error('cut off');
            },
          };
          await importStaged(pool, rows, { read, observer, signal: signal.signal }).catch((error: Error) =>
            expect(error.message).toBe('cut off'),
          );
        }
        expect(await importStaged(pool, rows)).toMatchObject({ records: 12, inserted: 12, unchanged: 0, rejected: 0 });
        expect(await contents(pool)).toEqual(whole);
        expect(await leftovers(pool)).toEqual(noLeftovers);
      }),
      { numRuns: 20 },
    );
  });

  it('by SIGKILL, again and again, reads on behind the staged rows', async () => {
    const count = 400;
    let staged = 0;
    for (let kills = 0; kills < 3; kills += 1) {
      const child = startProcess(count);
      const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
      await lines.next();
      child.kill('SIGKILL');
      await once(child, 'exit');
      const { rows: found } = await pool.query<{ through: number }>('SELECT max(through)::float8 AS through FROM chain.staged_batches');
      expect(found[0]?.through).toBeGreaterThan(staged);
      staged = found[0]?.through ?? 0;
    }
    const last = startProcess(count);
    last.stdout?.resume();
    expect(await once(last, 'exit')).toEqual([0, null]);
    expect(await listImports(pool)).toMatchObject([{ records: count, inserted: count, unchanged: 0, rejected: 0 }]);
    expect((await pool.query('SELECT count(*)::int AS count FROM chain.transfers')).rows).toEqual([{ count }]);
    expect(await leftovers(pool)).toEqual(noLeftovers);
  });

  it('by transfers of another import goes on by batches', async () => {
    const read = async function* (after: number) {
      for await (const record of recordsOf(rows, after)) {
        if (record.number === 6) await loadTransfers(pool, rows.slice(3, 8));
        yield record;
      }
    };
    expect(await importStaged(pool, rows, { read })).toMatchObject({ records: 12, inserted: 7, unchanged: 5, mergedUsd: '15001.25' });
    const together = await contents(pool);
    await emptyAll(pool);
    await loadTransfers(pool, rows);
    expect(together).toEqual(await contents(pool));
    expect(await leftovers(pool)).toEqual(noLeftovers);
  });
});

function startProcess(count: number): ChildProcess {
  const script = join(import.meta.dirname, '..', 'import-process.ts');
  return spawn(process.execPath, [script, database.url, String(count), '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
}
