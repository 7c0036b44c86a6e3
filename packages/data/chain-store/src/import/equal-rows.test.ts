import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTransferFile, type SourceRecord, type TransferRow } from '@weir/chain-import';
import { ManualClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImportRun } from '../index.ts';
import { address, contents, createChainDatabase, emptyChain, importChainRecords, txid } from '../testing.ts';

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'weir-equal-'));
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});
beforeEach(() => emptyChain(database.pool));

/** Every record is a batch of its own. */
class SlowClock extends ManualClock {
  #passed = 0;
  override monotonic(): number {
    this.#passed += 60_000;
    return this.#passed;
  }
}

const header = 'txid,from_address,to_address,amount,usd_value,time';
const row = (n: number, usd = '149.5'): string => `${txid(n)},${address(100)},${address(101)},5,${usd},2024-01-01`;
const rows = [row(1), row(2), row(1), row(1), row(2), row(1)];

/** `until`: reading fails after that record. */
function importCsv(name: string, lines: readonly string[], until = Number.POSITIVE_INFINITY): Promise<ImportRun> {
  const path = join(folder, name);
  writeFileSync(path, `${[header, ...lines].join('\n')}\n`);
  const read = readTransferFile(path, 'csv', { chain: 'ethereum', coin: 'ETH', source: 'test' });
  return importChainRecords(database.pool, {
    kind: 'transfers',
    key: name,
    name,
    clock: new SlowClock(),
    onRejected: () => undefined,
    read: async function* (after): AsyncGenerator<SourceRecord<TransferRow>> {
      for await (const record of read(after)) {
        if (record.number > until) throw new Error('cut off');
        yield record;
      }
    },
  });
}

describe('equal rows of a CSV file', () => {
  it('all count, and give equal sums when the import was broken off after any of them', async () => {
    expect(await importCsv('whole.csv', rows)).toMatchObject({ inserted: 6, unchanged: 0, mergedUsd: '0' });
    const whole = await contents(database.pool);
    for (let until = 1; until <= rows.length; until += 1) {
      await emptyChain(database.pool);
      await expect(importCsv('whole.csv', rows, until)).rejects.toThrow('cut off');
      expect(await importCsv('whole.csv', rows)).toMatchObject({ inserted: 6, unchanged: 0 });
      expect(await contents(database.pool)).toEqual(whole);
    }
  });

  it('that are stored already are counted with the value that was not added', async () => {
    await importCsv('first.csv', rows);
    const stored = await contents(database.pool);
    expect(await importCsv('second.csv', rows.slice(0, 3))).toMatchObject({ inserted: 0, unchanged: 3, mergedUsd: '448.5' });
    expect(await contents(database.pool)).toEqual(stored);
    // A higher value replaces the stored one.
    expect(await importCsv('third.csv', [row(1, '150.5'), row(3)])).toMatchObject({ inserted: 2, unchanged: 0, mergedUsd: '149.5' });
    expect(await importCsv('third.csv', [row(1, '150.5'), row(3)])).toMatchObject({ mergedUsd: '149.5' });
  });
});
