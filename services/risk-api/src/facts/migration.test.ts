import { migrate } from '@weir/postgres';
import { createTestDatabase } from '@weir/postgres/testing';
import { expect, test } from 'vitest';
import { loadLabels, loadTransfers, riskApiMigrations, riskApiModule } from '../index.ts';
import { address, contents, emptyFacts, label, transfer, txid } from './facts.testing.ts';

test('facts of a version that kept sums by pair alone become what a load of the same facts makes', async () => {
  const database = await createTestDatabase();
  try {
    const { pool } = database;
    const before = riskApiMigrations.findIndex(({ id }) => id === 'risk-api/0004-edges');
    await migrate(pool, riskApiModule, riskApiMigrations.slice(0, before));
    const nobody = address(0);
    const rows = [
      transfer,
      { ...transfer, txid: txid(2), usdValue: null, coin: 'USDT-ERC20' },
      { ...transfer, txid: txid(3), fromAddress: address(102), amount: null },
      { ...transfer, txid: txid(4), toAddress: nobody },
      { ...transfer, txid: txid(5), toAddress: transfer.fromAddress },
    ];
    for (const { chain, txid: id, position, fromAddress, toAddress, coin, amount, usdValue, time, source } of rows) {
      await pool.query('INSERT INTO chain.transfers VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
        chain,
        id,
        position,
        fromAddress,
        toAddress,
        coin,
        amount,
        usdValue,
        time,
        source,
      ]);
    }
    await pool.query(
      `INSERT INTO chain.pairs SELECT chain, from_address, to_address, count(*), count(*) FILTER (WHERE usd IS NULL), coalesce(sum(usd), 0)
       FROM chain.transfers WHERE to_address NOT IN (from_address, $1) GROUP BY 1, 2, 3`,
      [nobody],
    );
    await pool.query(
      `INSERT INTO chain.labels (chain, address, name, category, source, valid_from, confidence) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [label.chain, label.address, label.name, label.category, label.source, label.validFrom, label.confidence],
    );
    await migrate(pool, riskApiModule, riskApiMigrations);
    const migrated = await contents(pool);
    await emptyFacts(pool);
    await loadTransfers(pool, rows);
    await loadLabels(pool, [label]);
    expect(migrated).toEqual(await contents(pool));
  } finally {
    await database.drop();
  }
});
