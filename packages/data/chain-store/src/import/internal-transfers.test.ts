import { positionsFrom } from '@weir/chain-import';
import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readChainData } from '../index.ts';
import { createChainDatabase, loadTransfers, transfer } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());

it('payments of contracts are counted once, also when a value comes later; other transfers are none', async () => {
  const at = (position: number, usd_value: string | null = null) => ({ ...transfer, position, usd_value });
  const counts = async (): Promise<unknown> => {
    const settings = { labelsMaxAgeMs: 1, transfersMaxAgeMs: 1, chainMaxLagMs: 1, requiredChains: '' };
    return (await readChainData(database.pool, settings)).chains.map(({ transfers, internalTransfers }) => [transfers, internalTransfers]);
  };
  await loadTransfers(database.pool, [at(0), at(7), at(positionsFrom.internal - 1), at(positionsFrom.derived)]);
  expect(await counts()).toEqual([[4, 0]]);
  const internal = [at(positionsFrom.internal), at(positionsFrom.derived - 1)];
  await loadTransfers(database.pool, internal);
  await loadTransfers(database.pool, [...internal, at(positionsFrom.internal, '5')]);
  expect(await counts()).toEqual([[6, 2]]);
});
