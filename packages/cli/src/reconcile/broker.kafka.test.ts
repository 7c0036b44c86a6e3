import { auditMigrations } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { screeningId, topicSpecs } from '@weir/contracts';
import { scored } from '@weir/contracts/testing';
import { decisionMigrations, startDecision } from '@weir/decision';
import { intakeMigrations, startDepositIngest } from '@weir/deposit-ingest';
import { openKafkaLog } from '@weir/event-log/kafka';
import { migrate } from '@weir/postgres';
import { scoringMigrations } from '@weir/scoring';
import { type OpenPipeline, recordOffsets } from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, readTopic, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRegistry, type TestRegistry } from '../../../../test/support/stack/registry.ts';
import { compareTopics } from './broker.ts';

const brokers = (process.env['WEIR_TEST_KAFKA_BROKERS'] ?? '').split(',');
let registry: TestRegistry;
let stack: TestStack;
let pipeline: OpenPipeline;
beforeEach(async () => {
  registry = await startRegistry();
  const log = openKafkaLog({ connection: { brokers }, clock: systemClock });
  await log.createTopics(topicSpecs);
  await log.close();
  stack = await openTestStack({ tier: { kafka: { brokers }, registry: { url: registry.url } } });
  pipeline = await stack.pipeline();
  for (const [module, steps] of [
    ['intake', intakeMigrations],
    ['decision', decisionMigrations],
    ['scoring', scoringMigrations],
    ['audit', auditMigrations],
  ] as const)
    await migrate(pipeline.pool, module, steps);
});
afterEach(async () => {
  await stack.close();
  await registry.stop();
});

const groups = ['deposit-ingest', 'decision'] as const;
const address = '0x28c6c06298d514db089934071355e5743bf21d60';
const deposit = (id: string) => ({
  deposit_id: id,
  chain: null,
  coin: 'ETH',
  txid: null,
  from_address: address,
  to_address: address,
  amount: '1',
  usd_value: '5000',
  user_id: null,
  memo: null,
  detected_at: Date.now(),
});

async function startServices(): Promise<readonly TestService[]> {
  return [
    await stack.service((own) => startDepositIngest(own, { depositDeadlineMs: 600_000 })),
    await stack.service((own) => startDecision(own, { policyFile: '', reviewSingleBelowUsd: '' })),
  ];
}
const stop = async (services: readonly TestService[]): Promise<void> => {
  for (const service of services) await service.stop();
};
const decisions = async () => (await pipeline.pool.query('SELECT * FROM decision.decisions ORDER BY screening_id, revision')).rows;
/** Screens a deposit with a result in the name of scoring. */
async function screen(id: string): Promise<void> {
  await publishTo(pipeline, 'deposits.detected', deposit(id));
  await vi.waitFor(
    async () => {
      const { rows } = await pipeline.pool.query('SELECT FROM decision.screenings WHERE screening_id = $1', [screeningId('deposit', id)]);
      expect(rows).toHaveLength(1);
    },
    { timeout: 60_000, interval: 100 },
  );
  await publishTo(pipeline, 'screenings.scored', scored(id));
  await vi.waitFor(async () => expect((await decisions()).map((row) => row['screening_id'])).toContain(screeningId('deposit', id)), {
    timeout: 60_000,
    interval: 100,
  });
}
/** Distinct contents of each event of ours in the topic. */
async function contents(topic: 'screenings.requested' | 'screenings.decided'): Promise<number[]> {
  const records = await readTopic(pipeline, topic);
  const byId = Map.groupBy(records, ({ id }) => id);
  return [...byId.values()].map((same) => new Set(same.map(({ record }) => record.value.toString('hex'))).size);
}

test('after a restore groups go back to what the database has handled, and published decisions stand as they were', async () => {
  const services = await startServices();
  await screen('d-1');
  for (const group of groups) await caughtUp(pipeline, group);
  for (const group of groups) await recordOffsets(pipeline.pool, pipeline.log, group);
  const { rows: offsets } = await pipeline.pool.query('SELECT * FROM weir.group_offsets');
  await screen('d-2');
  for (const group of groups) await caughtUp(pipeline, group);
  await stop(services);
  const before = await decisions();

  // The database goes back to before d-2; the topics and the committed offsets do not.
  const forgotten = screeningId('deposit', 'd-2');
  for (const statement of [
    'DELETE FROM intake.transfers WHERE screening_id = $1',
    'DELETE FROM decision.screenings WHERE screening_id = $1',
    'DELETE FROM decision.decisions WHERE screening_id = $1',
    `DELETE FROM outbox.events WHERE key = 'd-2' AND $1::uuid IS NOT NULL`,
  ])
    await pipeline.pool.query(statement, [forgotten]);
  const { rows: left } = await pipeline.pool.query('SELECT * FROM weir.group_offsets');
  expect(left).toEqual(offsets);

  const found = await compareTopics(pipeline, false);
  expect(found.map(({ state }) => state)).toEqual(found.map(() => 'mended'));
  expect(found.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(`^screening ${forgotten} was decided allow in revision 1; it is taken over as it stands$`),
      expect.stringMatching(/^deposit-ingest had read deposits.detected\/\d up to \d+; it goes on at \d+$/),
    ]),
  );
  expect(await compareTopics(pipeline, true)).toEqual(found);
  expect(await decisions()).toEqual(before);
  expect(await compareTopics(pipeline, true)).toEqual([]);

  const again = await startServices();
  await vi.waitFor(async () => expect((await pipeline.pool.query('SELECT FROM intake.transfers')).rows).toHaveLength(2), {
    timeout: 60_000,
    interval: 100,
  });
  for (const group of groups) await caughtUp(pipeline, group);
  await stop(again);
  expect(await decisions()).toEqual(before);
  expect(new Set(await contents('screenings.requested'))).toEqual(new Set([1]));
  expect(new Set(await contents('screenings.decided'))).toEqual(new Set([1]));
});
