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

test('what labels of a version without an index of scores said about their beginning and end is noted', async () => {
  const database = await createTestDatabase();
  try {
    const { pool } = database;
    const before = riskApiMigrations.findIndex(({ id }) => id === 'risk-api/0012-score-changes');
    await migrate(pool, riskApiModule, riskApiMigrations.slice(0, before));
    for (const [n, from, to] of [
      [1, '2020-01-01', null],
      [2, '2020-01-01', '2020-02-01'],
      [3, '2020-01-01', '2999-01-01'],
      [4, '2999-01-01', '2999-02-01'],
    ] as const)
      await pool.query(
        `INSERT INTO chain.labels (chain, address, name, category, source, valid_from, valid_to, confidence) VALUES ('ethereum', $1, 'n', 'theft', 's', $2, $3, 1)`,
        [address(n), from, to],
      );
    await migrate(pool, riskApiModule, riskApiMigrations);
    const { rows } = await pool.query<{ address: string; due: string }>(
      `SELECT address, to_char(due_at, 'YYYY-MM-DD') AS due FROM risk.label_changes ORDER BY address, due_at`,
    );
    expect(rows).toEqual([
      { address: address(3), due: '2999-01-01' },
      { address: address(4), due: '2999-01-01' },
      { address: address(4), due: '2999-02-01' },
    ]);
  } finally {
    await database.drop();
  }
});
