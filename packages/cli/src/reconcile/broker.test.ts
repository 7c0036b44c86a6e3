import { decisionMigrations, startDecision } from '@weir/decision';
import { intakeMigrations, startDepositIngest } from '@weir/deposit-ingest';
import { migrate } from '@weir/postgres';
import type { OpenPipeline } from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, readTopic, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compareTopics } from './broker.ts';

let stack: TestStack;
let pipeline: OpenPipeline;
beforeEach(async () => {
  stack = await openTestStack();
  pipeline = await stack.pipeline();
  await migrate(pipeline.pool, 'intake', intakeMigrations);
  await migrate(pipeline.pool, 'decision', decisionMigrations);
});
afterEach(() => stack.close());

const deposit = (id: string) => ({
  deposit_id: id,
  chain: null,
  coin: 'ETH',
  txid: null,
  from_address: `0x${'a'.repeat(40)}`,
  to_address: `0x${'b'.repeat(40)}`,
  amount: '1',
  usd_value: null,
  user_id: null,
  memo: null,
  detected_at: Date.now(),
});

test('transfers that only the broker knows are taken in again once, and decisions that only it knows are named', async () => {
  const ingest = await stack.service((own) => startDepositIngest(own, { depositDeadlineMs: 1 }));
  const decision = await stack.service((own) => startDecision(own, { policyFile: '', reviewSingleBelowUsd: '' }));
  await publishTo(pipeline, 'deposits.detected', deposit('d-1'), deposit('d-2'));
  await vi.waitFor(async () => expect(await readTopic(pipeline, 'screenings.decided')).toHaveLength(2));
  expect(await compareTopics(pipeline, true)).toEqual([]);
  await caughtUp(pipeline, 'deposit-ingest');
  await ingest.stop();
  await decision.stop();

  // The database goes back to before d-2; the topics and the offsets do not.
  await pipeline.pool.query(`DELETE FROM intake.transfers WHERE request -> 'transfer' ->> 'source_id' = 'd-2'`);
  await pipeline.pool.query(
    `DELETE FROM decision.decisions d USING decision.screenings s WHERE s.screening_id = d.screening_id AND s.transfer ->> 'source_id' = 'd-2'`,
  );
  const expected = [
    { about: 'broker', state: 'mended', detail: 'deposit d-2 is in deposits.detected alone; it is published again' },
    {
      about: 'broker',
      state: 'named',
      detail: expect.stringMatching(/^screening .* was decided review in revision 1, .* no such decision$/),
    },
  ];
  expect(await compareTopics(pipeline, false)).toEqual(expected);
  expect(await readTopic(pipeline, 'deposits.detected')).toHaveLength(2);
  expect(await compareTopics(pipeline, true)).toEqual(expected);

  const published = (await readTopic(pipeline, 'deposits.detected')).filter(({ data }) => data.deposit_id === 'd-2');
  expect(published).toHaveLength(2);
  expect(new Set(published.map(({ id, record }) => `${id} ${record.value.toString('hex')}`)).size).toBe(1);
  await stack.service((own) => startDepositIngest(own, { depositDeadlineMs: 1 }));
  await caughtUp(pipeline, 'deposit-ingest');
  const { rows } = await pipeline.pool.query('SELECT count(*)::int AS n FROM intake.transfers');
  expect(rows).toEqual([{ n: 2 }]);
});
