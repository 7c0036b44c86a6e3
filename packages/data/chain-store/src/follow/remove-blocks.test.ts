import type { Block, TransferRow } from '@weir/chain-import';
import type { Queryable } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  address,
  contents,
  createChainDatabase,
  emptyChain,
  loadLabels,
  loadTransfers,
  label,
  transfer,
  txid,
  unobserved,
} from '../testing.ts';
import { beginFollowing, type FollowedChain, readFollowedChain } from './followed-chains.ts';
import { removeBlocks } from './remove-blocks.ts';
import { storeBlocks } from './store-blocks.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await emptyChain(database.pool);
  await database.pool.query('TRUNCATE chain.followed, chain.blocks, chain.chain_data');
  await beginFollowing(database.pool, 'ethereum', 7);
  await loadLabels(database.pool, [label]);
  await loadTransfers(database.pool, [{ ...transfer, txid: txid(90), time: '2024-01-02T00:00:00Z' }]);
});

const unknownToken = address(777);
const block = (height: number, rows: readonly Partial<TransferRow>[]): Block => {
  const time = `2024-02-0${height}T00:00:00Z`;
  return {
    height,
    hash: txid(1_000 + height),
    parentHash: txid(999 + height),
    time,
    rows: rows.map((row) => ({ ...transfer, usd_value: null, time, source: 'node', ...row })),
  };
};
const first = block(7, [{ txid: txid(1) }, { txid: txid(2), coin: unknownToken, amount: null }]);
const second = block(8, [
  { txid: txid(3), from_address: address(100), to_address: address(500) },
  { txid: txid(3), position: 4, coin: unknownToken, amount: null },
  { txid: txid(4), from_address: address(0), to_address: address(100) },
  { txid: txid(5), from_address: address(100), to_address: address(100) },
]);

async function followed(): Promise<FollowedChain> {
  const state = await readFollowedChain(database.pool, 'ethereum');
  if (state === undefined) throw new Error('the chain is not followed');
  return state;
}
async function stored(db: Queryable): Promise<unknown> {
  const { rows } = await db.query(
    `SELECT (SELECT json_agg(d ORDER BY chain) FROM chain.chain_data d) AS data, (SELECT json_agg(p ORDER BY coin, day) FROM chain.prices p) AS prices`,
  );
  return [await contents(db), rows[0]];
}

it('blocks that are removed leave everything as before them, also what a file has added to their transfers', async () => {
  const { pool } = database;
  await storeBlocks(pool, await followed(), [first], unobserved);
  const before = await stored(pool);
  await storeBlocks(pool, await followed(), [second], unobserved);
  await loadTransfers(
    pool,
    second.rows.map((row) => ({ ...row, usd_value: '500', amount: row.amount ?? '3' })),
  );
  expect(await stored(pool)).not.toEqual(before);
  expect(await removeBlocks(pool, await followed(), 7, unobserved)).toEqual({ blocks: 1, transfers: 4 });
  expect(await stored(pool)).toEqual(before);
  expect(await followed()).toMatchObject({ height: 7, hash: first.hash, blocks: 2, reorganisations: 1 });
});

it('the first block may be removed too, and the chain begins again', async () => {
  const { pool } = database;
  const [before] = (await stored(pool)) as unknown[];
  await storeBlocks(pool, await followed(), [first, second], unobserved);
  await removeBlocks(pool, await followed(), 6, unobserved);
  expect(((await stored(pool)) as unknown[])[0]).toEqual(before);
  expect(await followed()).toMatchObject({ height: null, hash: null });
  await storeBlocks(pool, await followed(), [first], unobserved);
  expect(await followed()).toMatchObject({ height: 7 });
});

it('blocks are not removed to a height that is not kept, nor twice', async () => {
  const { pool } = database;
  await storeBlocks(pool, await followed(), [first, second], unobserved);
  const [tables, of] = [await stored(pool), await followed()];
  await pool.query('DELETE FROM chain.blocks WHERE height = 7');
  await expect(removeBlocks(pool, of, 7, unobserved)).rejects.toThrow('followed by another process');
  expect(await stored(pool)).toEqual(tables);
  await removeBlocks(pool, of, 6, unobserved);
  await expect(removeBlocks(pool, of, 6, unobserved)).rejects.toThrow('followed by another process');
});
