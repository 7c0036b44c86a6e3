import { findCoin, useAddedCoins } from '@weir/chains';
import { systemClock } from '@weir/clock';
import { migrate, type Pool } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { addTokens, coinMigrations, coinModule, listAddedCoins, removeCoin, watchAddedCoins } from './index.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ pool } = database);
  await migrate(pool, coinModule, coinMigrations);
});
afterAll(() => database.drop());
afterEach(async () => {
  await pool.query('TRUNCATE coins.added');
  useAddedCoins([]);
});

const ondo = { symbol: 'ondo', chain: 'ethereum', contract: '0xfAbA6f8e4a5E8Ab82F62fe7C39859FA577269BE3', decimals: 18 };
const jup = { symbol: 'JUP', chain: 'SOL', contract: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', decimals: 6 };
const symbols = async (): Promise<string[]> => (await listAddedCoins(pool)).map(({ symbol }) => symbol);

test('tokens are added all or none, and a repeat changes nothing', async () => {
  const wrong = { ...jup, contract: 'nothing' };
  expect(await addTokens(pool, [ondo, wrong])).toMatchObject({ problems: [{ at: 1 }] });
  expect(await symbols()).toEqual([]);
  expect(await addTokens(pool, [ondo, jup])).toMatchObject({ added: [{ symbol: 'ONDO-ERC20' }, { symbol: 'JUP-SOLANA' }] });
  expect(await addTokens(pool, [ondo, jup])).toEqual({ added: [] });
  expect(await addTokens(pool, [{ ...ondo, decimals: 6 }])).toMatchObject({ problems: [{ at: 0 }] });
  expect(await addTokens(pool, [jup, { ...jup, symbol: 'JUP2' }])).toMatchObject({ problems: [{ at: 1 }] });
  expect(await symbols()).toEqual(['JUP-SOLANA', 'ONDO-ERC20']);
});

test('two who add the same name at once do not both succeed', async () => {
  const other = { ...ondo, contract: '0x0bc529c00C6401aEF6D220BE8C6Ea1667F6Ad93e' };
  const results = await Promise.all([addTokens(pool, [ondo]), addTokens(pool, [other])]);
  expect(results.filter((result) => 'added' in result)).toHaveLength(1);
  expect(await symbols()).toEqual(['ONDO-ERC20']);
});

test('a watching process knows an added coin, and forgets a removed one', async () => {
  const watch = await watchAddedCoins({ pool, clock: systemClock, onError: () => undefined });
  try {
    await addTokens(pool, [ondo]);
    await vi.waitFor(() => expect(findCoin('ONDO-ERC20')).toMatchObject({ decimals: 18 }), { timeout: 20_000, interval: 50 });
    expect([await removeCoin(pool, 'ONDO-ERC20'), await removeCoin(pool, 'ONDO-ERC20')]).toEqual([true, false]);
    await vi.waitFor(() => expect(findCoin('ONDO-ERC20')).toBeUndefined(), { timeout: 20_000, interval: 50 });
  } finally {
    await watch.stop();
  }
});
