import type { TransferRow } from '@weir/chain-import';
import type { Pool } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImportObserver, ImportRun } from '../../index.ts';
import {
  address,
  bitcoinAddress,
  coSpend,
  contents,
  createChainDatabase,
  label,
  loadLabels,
  loadTransfers,
  transfer,
  txid,
  unobserved,
} from '../../testing.ts';
import { emptyAll, importStaged, leftovers, noLeftovers } from './first-load.testing.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createChainDatabase();
  pool = database.pool;
});
afterAll(() => database.drop());
beforeEach(() => emptyAll(pool));

/** As one batch, which is never staged. */
const importBatch = (rows: readonly TransferRow[]): Promise<ImportRun> => importStaged(pool, rows, { batchBytes: 1 << 30 });

const text = (value: number | null): string | null => (value === null ? null : `${value}.25`);
/** Few, so that pairs repeat; the zero address is nobody. */
const end = fc.nat(4).map((n) => address(n === 0 ? 0 : 100 + n));
const transferKey = fc.record({
  txid: fc.nat(3).map(txid),
  position: fc.nat(1),
  from_address: end,
  to_address: end,
  coin: fc.constantFrom('ETH', 'USDT-ERC20', address(9)),
  chain: fc.constantFrom('ethereum', 'bsc'),
});
const size = fc.option(fc.integer({ min: 1, max: 9 })).map(text);
const time = fc.integer({ min: 1, max: 3 }).map((day) => `2024-01-0${day}`);
/** Each transfer up to four times, with other amounts and values. */
const rowsOf = fc
  .array(fc.tuple(transferKey, fc.array(fc.record({ amount: size, usd_value: size, time }), { minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 8,
  })
  .chain((drawn) =>
    fc.shuffledSubarray(
      drawn.flatMap(([key, rows]) => rows.map((row): TransferRow => ({ ...transfer, ...key, ...row }))),
      { minLength: 1 },
    ),
  );

const labels = [101, 102].map((n) => ({ ...label, address: address(n) }));
const stored = async (): Promise<unknown> => [
  await contents(pool),
  (await pool.query('SELECT * FROM chain.prices ORDER BY coin, day')).rows,
  (await pool.query('SELECT chain, labels, transfers, internal_transfers, newest_transfer_at FROM chain.chain_data ORDER BY chain')).rows,
];
const counts = ({ records, inserted, unchanged, mergedUsd, rejected }: ImportRun) => ({
  records,
  inserted,
  unchanged,
  mergedUsd,
  rejected,
});
describe('a first load', () => {
  it('stores and counts what one batch does, whatever the transfers', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf, async (rows) => {
        await emptyAll(pool);
        await loadLabels(pool, labels);
        const batch = await importBatch(rows);
        const wanted = await stored();
        await emptyAll(pool);
        await loadLabels(pool, labels);
        const loaded = await importStaged(pool, rows);
        expect(counts(loaded)).toEqual(counts(batch));
        expect(await stored()).toEqual(wanted);
        expect(await leftovers(pool)).toEqual(noLeftovers);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the indexes, keys, settings and privileges of the tables', async () => {
    const shape = async (): Promise<unknown> =>
      (
        await pool.query(
          `SELECT (SELECT json_agg(indexdef ORDER BY indexdef) FROM pg_indexes WHERE schemaname = 'chain') AS indexes,
             (SELECT json_agg(pg_get_constraintdef(oid) ORDER BY conrelid::regclass::text, conname) FROM pg_constraint WHERE connamespace = 'chain'::regnamespace) AS constraints,
             (SELECT json_agg(json_build_array(relname, reloptions, relacl::text, relpersistence) ORDER BY relname) FROM pg_class
                WHERE relnamespace = 'chain'::regnamespace AND relkind = 'r') AS tables,
             (SELECT json_agg(json_build_array(table_name, column_name, column_default, is_nullable) ORDER BY table_name, column_name)
                FROM information_schema.columns WHERE table_schema = 'chain') AS columns`,
        )
      ).rows[0];
    await pool.query('GRANT SELECT ON chain.transfers, chain.sides TO PUBLIC');
    const before = await shape();
    await importStaged(pool, [transfer]);
    expect(await shape()).toEqual(before);
  });

  it('joins addresses that sign together, and flags those with a labelled member', async () => {
    const [a, b, c] = [1, 2, 3].map(bitcoinAddress) as [string, string, string];
    const row = { ...transfer, chain: 'bitcoin', txid: 'ab'.repeat(32), coin: 'BTC', from_address: a, to_address: c };
    const read = async function* () {
      yield { number: 1, rows: [row], co_spend: coSpend(1, 1, 2) };
    };
    const flags = async (): Promise<unknown> =>
      (await pool.query('SELECT address, peer, peer_labelled FROM chain.edges ORDER BY address')).rows;
    const labelled = [{ ...label, chain: 'bitcoin', address: b, category: 'theft' }];
    await loadLabels(pool, labelled);
    await importStaged(pool, [], { read, batchBytes: 1 << 30 });
    const wanted = await flags();
    await emptyAll(pool);
    await loadLabels(pool, labelled);
    await importStaged(pool, [], { read });
    expect(await flags()).toEqual(wanted);
    expect(wanted).toContainEqual({ address: c, peer: a, peer_labelled: true });
  });

  it('ends before many records without transfers', async () => {
    const read = async function* () {
      for (let number = 1; number <= 300_000; number += 1)
        yield { number, rows: number % 150_000 === 1 ? [{ ...transfer, txid: txid(number) }] : [] };
    };
    expect(await importStaged(pool, [], { read })).toMatchObject({ records: 300_000, inserted: 2, unchanged: 0 });
    expect(await leftovers(pool)).toEqual(noLeftovers);
  });

  it('adds to what it has loaded by batches, and raises it', async () => {
    const more = { ...transfer, usd_value: '4000.25' };
    await importStaged(pool, [transfer]);
    expect(await importStaged(pool, [more, { ...transfer, txid: txid(2) }], { key: 'more' })).toMatchObject({ inserted: 2, unchanged: 0 });
    const together = await contents(pool);
    await emptyAll(pool);
    await loadTransfers(pool, [more, { ...transfer, txid: txid(2) }]);
    expect(together).toEqual(await contents(pool));
  });

  it('tells its changes before it commits', async () => {
    const told: unknown[] = [];
    const observer: ImportObserver = {
      ...unobserved,
      transfersStored: async (tx) =>
        void told.push(...(await tx.query('SELECT txid, dealings, usd FROM pg_temp.transfer_changes ORDER BY txid')).rows),
    };
    await importStaged(pool, [transfer, { ...transfer, txid: txid(2), usd_value: null }], { observer });
    expect(told).toEqual([
      { txid: txid(1), dealings: 1, usd: '3000.25' },
      { txid: txid(2), dealings: 1, usd: '0' },
    ]);
  });

  it('waits for readers in short attempts, in which they go on', async () => {
    const reader = await pool.connect();
    try {
      await reader.query('BEGIN; SELECT FROM chain.sides');
      const loading = importStaged(pool, [transfer]);
      const waits = `SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`;
      await expect.poll(async () => (await pool.query(waits)).rowCount).toBeGreaterThan(0);
      // The load would wait for the reader, and the reader for the load.
      await reader.query('SELECT FROM chain.transfers');
      await reader.query('COMMIT');
      expect(await loading).toMatchObject({ inserted: 1 });
    } finally {
      reader.release(true);
    }
  });
});
