import { chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import { screeningId } from '@weir/contracts';
import { intakeMigrations } from '@weir/intake';
import { openTestStack, publishTo, readTopic, type TestRole, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDepositIngest } from './index.ts';

const role: TestRole = { service: 'deposit-ingest', modules: { intake: intakeMigrations, [chainStoreModule]: chainStoreMigrations } };
const limit = { timeout: 30_000, interval: 100 };
const txid = `0x${'ab'.repeat(32)}`;
const deposit = {
  deposit_id: `ethereum:${txid}:0`,
  chain: 'ethereum',
  coin: 'ETH',
  txid,
  from_address: null,
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '1.5',
  usd_value: null,
  user_id: 'u-1',
  detected_at: Date.now(),
  memo: null,
};

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack({ roles: [role] });
});
afterEach(() => stack.close());

test('a deposit that is taken back is requested with its fault, once it has come; its return waits for that decision', async () => {
  const { pool } = stack.db;
  const start = () => stack.service((pipeline) => startDepositIngest(pipeline, { depositDeadlineMs: 600_000 }), { role });
  const [{ pipeline }] = await Promise.all([start(), start()]);
  await pool.query(
    `INSERT INTO chain.watched_deposits (deposit_id, chain, txid, coin, amount, at, taken_back_at) VALUES ($1, 'ethereum', $2, 'ETH', 1.5, now(), now())`,
    [deposit.deposit_id, txid],
  );
  const requests = async (): Promise<unknown[]> => {
    const all = await readTopic(pipeline, 'screenings.requested');
    const own = all.filter(({ data }) => data.screening_id === screeningId('deposit', deposit.deposit_id));
    return [...new Map(own.map((event) => [event.id, [event.data.fault, event.data.warnings, event.data.renews_revision]])).values()];
  };
  const corrected = async (): Promise<unknown> =>
    (await pool.query('SELECT withdrawn, corrected_revision FROM chain.watched_deposits')).rows[0];
  await publishTo(pipeline, 'deposits.detected', deposit);
  await vi.waitFor(async () => expect(await corrected()).toEqual({ withdrawn: true, corrected_revision: 0 }), limit);
  const takenBack = [
    [null, [], null],
    ['INVALID_TRANSFER', ['TAKEN_BACK'], 0],
  ];
  expect(await requests()).toEqual(takenBack);

  await pool.query('UPDATE chain.watched_deposits SET taken_back_at = NULL');
  // The reader of decisions is this one; nobody has decided yet.
  await pool.query('CREATE SCHEMA decision');
  await pool.query('CREATE TABLE decision.decided AS SELECT $1::uuid AS screening_id, 1 AS revision', [
    screeningId('deposit', deposit.deposit_id),
  ]);
  await pool.query('GRANT USAGE ON SCHEMA decision TO PUBLIC; GRANT SELECT ON decision.decided TO PUBLIC');
  await vi.waitFor(async () => expect(await corrected()).toEqual({ withdrawn: false, corrected_revision: 1 }), limit);
  expect(await requests()).toEqual([...takenBack, [null, [], 1]]);
});
