import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LabelRow, SourceRecord, TransferRow } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ImportConflict, type ImportOptions, type ImportRun, listImports } from '../index.ts';
import {
  address,
  contents,
  createChainDatabase,
  emptyChain,
  importChainRecords,
  label,
  loadLabels,
  loadTransfers,
  recordsOf,
  transfer,
  txid,
} from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

const transfers = (count: number): TransferRow[] =>
  Array.from({ length: count }, (_, i) => ({
    ...transfer,
    txid: txid(i + 1),
    to_address: address(101 + (i % 7)),
    usd_value: `${i + 1}.01`,
  }));

/** Every record takes long enough to close its batch. */
class SlowClock extends ManualClock {
  #passed = 0;
  override monotonic(): number {
    this.#passed += 60_000;
    return this.#passed;
  }
}

type TransferImport = Omit<ImportOptions<'transfers'>, 'observer'>;

function importRows(rows: readonly TransferRow[], options: Partial<TransferImport> = {}): Promise<ImportRun> {
  return importChainRecords(database.pool, {
    kind: 'transfers',
    key: 'key',
    name: 'file.csv',
    clock: new SlowClock(),
    onRejected: () => undefined,
    read: (after) => recordsOf(rows, after),
    ...options,
  });
}

describe('an import', () => {
  it('is done once: finished, it reads nothing and says the same', async () => {
    const rows = transfers(10);
    const progress: ImportRun[] = [];
    const first = await importRows([...rows, ...rows.slice(0, 3)], { onProgress: (run) => progress.push(run) });
    expect(first).toMatchObject({ key: 'key', kind: 'transfers', name: 'file.csv', records: 13, inserted: 10, unchanged: 3, rejected: 0 });
    expect(first.finishedAt).toEqual(new Date(1_700_000_000_000));
    expect(progress.map(({ records }) => records)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
    const read = (): never => {
      throw new Error('nothing is to be read');
    };
    expect(await importRows([], { read })).toEqual(first);
    expect(await listImports(database.pool)).toEqual([first]);
  });

  it('tells what is rejected, counts it, and takes the rest of the record', async () => {
    const told: unknown[] = [];
    const [one, two, three] = transfers(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error('no rows');
    const wrong = { ...two, usd_value: 'much' };
    const records: SourceRecord<TransferRow>[] = [
      { number: 1, rows: [one, wrong] },
      { number: 2, rejected: 'is no JSON', text: '{' },
      { number: 5, rows: [{ ...two, time: '2024-13-01' }, three] },
      { number: 6, rows: [] },
    ];
    const read = async function* (): AsyncGenerator<SourceRecord<TransferRow>> {
      yield* records;
    };
    const run = await importRows([], { read, onRejected: async (rejected) => void told.push(rejected) });
    expect(run).toMatchObject({ records: 6, inserted: 2, unchanged: 0, rejected: 3 });
    expect(told).toEqual([
      { number: 1, reason: 'usd_value is not a decimal number', text: JSON.stringify(wrong) },
      { number: 2, reason: 'is no JSON', text: '{' },
      { number: 5, reason: 'time is not an ISO 8601 time', text: JSON.stringify({ ...two, time: '2024-13-01' }) },
    ]);
  });

  it('takes labels as well', async () => {
    const rows: LabelRow[] = [label, { ...label, name: 'Other' }, { ...label, confidence: 2 }];
    const read = (after: number): AsyncGenerator<SourceRecord<LabelRow>> => recordsOf(rows, after);
    const options = {
      kind: 'labels',
      key: 'labels',
      name: 'labels.yaml',
      clock: new ManualClock(),
      onRejected: () => undefined,
      read,
    } as const;
    expect(await importChainRecords(database.pool, options)).toMatchObject({ records: 3, inserted: 2, unchanged: 0, rejected: 1 });
  });

  it('does not go on when a rejected row cannot be told, and tells it the next time', async () => {
    const rows = [...transfers(2), { ...transfer, usd_value: 'much' }, ...transfers(4).slice(3)];
    const onRejected = (): never => {
      throw new Error('the disk is full');
    };
    await expect(importRows(rows, { onRejected })).rejects.toThrow('the disk is full');
    expect(await listImports(database.pool)).toMatchObject([{ records: 2, inserted: 2, rejected: 0, finishedAt: null }]);
    expect(await importRows(rows)).toMatchObject({ records: 4, inserted: 3, unchanged: 0, rejected: 1 });
  });

  it('refuses a source that counts backwards', async () => {
    const read = async function* (): AsyncGenerator<SourceRecord<TransferRow>> {
      yield { number: 2, rows: [transfer] };
      yield { number: 2, rows: [transfer] };
    };
    await expect(importRows([], { read })).rejects.toThrow('record 2 after 2');
  });
});

describe('an import that is interrupted', () => {
  it('at any record, by its signal or its source, ends as one that was not', async () => {
    const rows = transfers(12);
    await loadTransfers(database.pool, rows);
    const whole = await contents(database.pool);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.nat(12), how: fc.constantFrom('signal', 'source') }), { maxLength: 4 }),
        fc.boolean(),
        async (stops, slow) => {
          await emptyChain(database.pool);
          const clock = slow ? new SlowClock() : new ManualClock();
          for (const { at, how } of stops) {
            const stop = new AbortController();
            const read = async function* (after: number): AsyncGenerator<SourceRecord<TransferRow>> {
              for await (const record of recordsOf(rows, after)) {
                if (record.number > at && how === 'source') throw new Error('cut off');
                if (record.number > at) stop.abort();
                yield record;
              }
            };
            await importRows(rows, { clock, read, signal: stop.signal }).catch((error: Error) => expect(error.message).toBe('cut off'));
          }
          expect(await importRows(rows, { clock })).toMatchObject({ records: 12, inserted: 12, unchanged: 0, rejected: 0 });
          expect(await contents(database.pool)).toEqual(whole);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('between two batches stores what it has read, and says that it is not finished', async () => {
    const stop = new AbortController();
    const run = await importRows(transfers(10), { signal: stop.signal, onProgress: ({ records }) => records >= 4 && stop.abort() });
    expect(run.finishedAt).toBeNull();
    expect(run.records).toBeGreaterThanOrEqual(4);
    expect(run.records).toBeLessThan(10);
    expect(run.inserted).toBe(run.records);
  });

  it('by SIGKILL, again and again, goes on where it was: nothing is lost, and nothing counted twice', async () => {
    const count = 3_000;
    for (let kills = 0; kills < 3; kills += 1) {
      const child = startProcess(count);
      const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
      await lines.next();
      child.kill('SIGKILL');
      await once(child, 'exit');
      const [run] = await listImports(database.pool);
      expect(run).toMatchObject({ unchanged: 0, finishedAt: null });
      expect(run?.inserted).toBe(run?.records);
    }
    const last = startProcess(count);
    last.stdout?.resume();
    expect(await once(last, 'exit')).toEqual([0, null]);
    expect(await listImports(database.pool)).toMatchObject([{ records: count, inserted: count, unchanged: 0, rejected: 0 }]);
    const resumed = await contents(database.pool);
    await emptyChain(database.pool);
    await loadTransfers(
      database.pool,
      Array.from({ length: count }, (_, i) => ({ ...transfer, txid: txid(i + 1), usd_value: `${i + 1}.01` })),
    );
    expect(resumed).toEqual(await contents(database.pool));
  });

  it('by its database, ends, and goes on when it is back', async () => {
    const rows = transfers(6);
    const cut = database.openPool({ max: 1 });
    const read = async function* (after: number): AsyncGenerator<SourceRecord<TransferRow>> {
      for await (const record of recordsOf(rows, after)) {
        if (record.number === 4)
          await database.pool.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          );
        yield record;
      }
    };
    await importChainRecords(cut, {
      kind: 'transfers',
      key: 'key',
      name: 'x',
      clock: new SlowClock(),
      onRejected: () => undefined,
      read,
    }).catch(() => undefined);
    expect(await importRows(rows)).toMatchObject({ records: 6, inserted: 6, unchanged: 0 });
  });
});

describe('two imports at once', () => {
  it('of one source: one goes on, the other says so, and nothing counts twice', async () => {
    const rows = transfers(30);
    const ends = await Promise.allSettled([importRows(rows), importRows(rows)]);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(ImportConflict);
    expect(await importRows(rows)).toMatchObject({ records: 30, inserted: 30, unchanged: 0 });
  });

  it('of two sources with the same pairs take turns', async () => {
    const rows = transfers(40);
    const labels = [101, 102, 103].map((n) => ({ ...label, address: address(n) }));
    await Promise.all([
      importRows(rows.slice(0, 25), { key: 'a' }),
      importRows(rows.slice(15).toReversed(), { key: 'b' }),
      loadLabels(database.pool, labels),
    ]);
    const together = await contents(database.pool);
    await emptyChain(database.pool);
    await loadLabels(database.pool, labels);
    await loadTransfers(database.pool, rows);
    expect(together).toEqual(await contents(database.pool));
  });
});

function startProcess(count: number): ChildProcess {
  const script = join(import.meta.dirname, 'import-process.ts');
  return spawn(process.execPath, [script, database.url, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
}
