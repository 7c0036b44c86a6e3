import { randomBytes } from 'node:crypto';
import { auditMigrations, startAuditWriter } from '@weir/audit-writer';
import { consoleMigrations } from '@weir/console';
import type { Topic } from '@weir/contracts';
import { decisionMigrations, startDecision } from '@weir/decision';
import { migrate } from '@weir/postgres';
import { scoringMigrations } from '@weir/scoring';
import type { OpenPipeline } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { intakeMigrations } from '@weir/deposit-ingest';
import { gateMigrations, startWithdrawalGate } from '@weir/withdrawal-gate';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { weir } from '../testing/weir.ts';

let stack: TestStack;
let pipeline: OpenPipeline;
beforeEach(async () => {
  stack = await openTestStack();
  pipeline = await stack.pipeline();
  const { pool } = pipeline;
  await migrate(pool, 'intake', intakeMigrations);
  await migrate(pool, 'gate', gateMigrations);
  await migrate(pool, 'scoring', scoringMigrations);
  await migrate(pool, 'decision', decisionMigrations);
  await migrate(pool, 'console', consoleMigrations);
  await migrate(pool, 'audit', auditMigrations);
});
afterEach(() => stack.close());

const gateSettings = {
  // Decided as soon as decision reads it.
  withdrawalDeadlineMs: 1,
  permitTtlMs: 300_000,
  allowMaxAgeMs: 900_000,
  permitIssuer: 'weir',
  permitKeyRotationMs: 2_592_000_000,
  permitKeySecret: randomBytes(24).toString('hex'),
  permitJournal: '',
  permitJournalKeepDays: 0,
  gateMaxWaiters: 1_000,
  gateMaxUnreadMs: 15_000,
  redisUrl: '',
  kafkaBrokers: '',
};
const startGate = (): Promise<TestService> => stack.service((own) => startWithdrawalGate(own, gateSettings));
const startDecider = (): Promise<TestService> => stack.service((own) => startDecision(own, { policyFile: '', reviewSingleBelowUsd: '' }));

const ask = (...ids: readonly string[]): Promise<void> =>
  publishTo(
    pipeline,
    'withdrawals.requested',
    ...ids.map((id) => ({
      withdrawal_id: id,
      chain: null,
      coin: 'ETH',
      to_address: `0x${'a'.repeat(40)}`,
      amount: '1',
      usd_value: null,
      user_id: null,
      memo: null,
      requested_at: Date.now(),
    })),
  );

/** Simulates Kafka's retention, and a group that starts late on PostgreSQL. */
const lose = (topic: Topic) =>
  pipeline.pool.query(
    `WITH moved AS (
       UPDATE log.partitions p SET first_offset = next_offset FROM log.topics t WHERE t.id = p.topic AND t.name = $1 RETURNING p.topic, p.partition)
     DELETE FROM log.records r USING moved m WHERE r.topic = m.topic AND r.partition = m.partition`,
    [topic],
  );

async function published(topic: Topic): Promise<string[]> {
  return (await readTopic(pipeline, topic)).map(({ id, record }) => `${id} ${record.value.toString('hex')}`).toSorted();
}

async function standing(): Promise<string[]> {
  const { rows } = await pipeline.pool.query<{ standing: string }>(
    `SELECT withdrawal_id || ' ' || status AS standing FROM gate.withdrawals ORDER BY 1`,
  );
  return rows.map((row) => row.standing);
}

async function command(...args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await weir(['topics', ...args, '--yes', '--json'], { env: { DATABASE_URL: stack.db.url } });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

/** The topic loses the requests of these withdrawals, and the audit log keeps them. Returns them. */
async function loseAudited(...ids: readonly string[]): Promise<string[]> {
  const gate = await startGate();
  await ask(...ids);
  await caughtUp(pipeline, 'withdrawal-gate');
  const audit = await stack.service((own) => startAuditWriter(own, { auditBatch: 100 }));
  await vi.waitFor(async () => expect(await published('screenings.requested')).toHaveLength(ids.length), 60_000);
  await caughtUp(pipeline, 'audit-writer');
  await gate.stop();
  await audit.stop();
  const requests = await published('screenings.requested');
  await lose('screenings.requested');
  return requests;
}

const isStopped = (group: string) =>
  vi.waitFor(async () => expect((await pipeline.log.lag(group)).filter(({ gap }) => gap !== undefined)).not.toEqual([]), 60_000);
const isStanding = (wanted: readonly string[]) => vi.waitFor(async () => expect(await standing()).toEqual(wanted), 60_000);

test('withdrawals whose requests are lost everywhere are pending until the rebuild, and decided after it', async () => {
  const gate = await startGate();
  await ask('w-1', 'w-2', 'w-3');
  await caughtUp(pipeline, 'withdrawal-gate');
  await vi.waitFor(async () => expect(await published('screenings.requested')).toHaveLength(3), 60_000);
  const before = await published('screenings.requested');
  await gate.stop();
  await lose('screenings.requested');
  await pipeline.pool.query('DELETE FROM outbox.events');

  await startDecider();
  await isStopped('decision');
  const rebuild = ['rebuild', 'decision', '--topic', 'screenings.requested'];
  const first = await command(...rebuild);
  expect(first.rebuilt).toEqual([{ topic: 'screenings.requested', audit_log: 0, outbox: 0, tables: 3 }]);
  expect(await published('screenings.requested')).toEqual(before);
  // Idempotent: the same events with the same bytes.
  await command(...rebuild);
  expect([...new Set(await published('screenings.requested'))]).toEqual(before);
  expect(await standing()).toEqual(['w-1 pending', 'w-2 pending', 'w-3 pending']);

  await startGate();
  await command('resume', 'decision', '--from', 'earliest');
  await isStanding(['w-1 held', 'w-2 held', 'w-3 held']);
  const { rows } = await pipeline.pool.query('SELECT count(*)::int AS count FROM decision.decisions');
  expect(rows).toEqual([{ count: 3 }]);
});

test('records of a gap that the audit log has are published again as they were, and no others', async () => {
  const before = await loseAudited('w-1', 'w-2');
  // The audit log alone is enough.
  await pipeline.pool.query('TRUNCATE outbox.events, intake.transfers');
  await startDecider();
  await isStopped('decision');
  const { rebuilt, gaps } = await command('rebuild', 'decision');
  expect(rebuilt).toEqual([{ topic: 'screenings.requested', audit_log: 2, outbox: 0, tables: 0 }]);
  expect(gaps.length).toBeGreaterThan(0);
  expect(await published('screenings.requested')).toEqual(before);
});

test('records of a gap that the audit log has are published again once, also after the group has resumed', async () => {
  const before = await loseAudited('w-1', 'w-2');
  await pipeline.pool.query('TRUNCATE outbox.events, intake.transfers');
  await startDecider();
  await isStopped('decision');
  const { resumed } = await command('resume', 'decision', '--from', 'earliest');
  expect(resumed.length).toBeGreaterThan(0);
  const { rebuilt, gaps } = await command('rebuild', 'decision');
  expect(gaps).toEqual(resumed);
  expect(rebuilt).toEqual([{ topic: 'screenings.requested', audit_log: 2, outbox: 0, tables: 0 }]);
  expect(await published('screenings.requested')).toEqual(before);
  expect(await command('rebuild', 'decision')).toMatchObject({ gaps: [], rebuilt: [] });
});

test('records of a gap that were rebuilt before the group resumed are not published a second time', async () => {
  await loseAudited('w-1');
  await startDecider();
  await isStopped('decision');
  expect((await command('rebuild', 'decision')).rebuilt).toMatchObject([{ audit_log: 1 }]);
  await command('resume', 'decision', '--from', 'earliest');
  expect(await command('rebuild', 'decision')).toMatchObject({ gaps: [], rebuilt: [] });
});

test('an event that the audit log does not have yet is published again with the bytes that the log has', async () => {
  const gate = await startGate();
  await ask('w-1');
  await caughtUp(pipeline, 'withdrawal-gate');
  await gate.stop();
  // Another version would write other bytes.
  await pipeline.pool.query(`UPDATE log.records SET value = value || '\\x00'`);
  await startDecider();
  await command('rebuild', 'decision', '--topic', 'screenings.requested');
  const { rows } = await pipeline.pool.query(`
    SELECT count(*)::int AS records, count(DISTINCT r.value)::int AS contents
    FROM log.records r JOIN log.topics t ON t.id = r.topic WHERE t.name = 'screenings.requested'`);
  expect(rows).toEqual([{ records: 2, contents: 1 }]);
});

test('decisions that are lost everywhere are made again from what decision has stored, byte for byte', async () => {
  const gate = await startGate();
  await ask('w-1');
  await caughtUp(pipeline, 'withdrawal-gate');
  await gate.stop();
  const decider = await startDecider();
  await vi.waitFor(async () => expect(await published('screenings.decided')).toHaveLength(1), 60_000);
  await decider.stop();
  const before = await published('screenings.decided');
  await lose('screenings.decided');
  await pipeline.pool.query('DELETE FROM outbox.events');
  await startGate();
  await isStopped('withdrawal-gate.decisions');
  const { rebuilt } = await command('rebuild', 'withdrawal-gate.decisions');
  expect(rebuilt).toEqual([{ topic: 'screenings.decided', audit_log: 0, outbox: 0, tables: 1 }]);
  expect(await published('screenings.decided')).toEqual(before);
  await command('resume', 'withdrawal-gate.decisions', '--from', 'earliest');
  await isStanding(['w-1 held']);
});

test('an event in the outbox is published again, but none that its service may not write', async () => {
  const gate = await startGate();
  await ask('w-1');
  await caughtUp(pipeline, 'withdrawal-gate');
  await vi.waitFor(async () => expect(await published('screenings.requested')).toHaveLength(1), 60_000);
  await gate.stop();
  const before = await published('screenings.requested');
  // As on Kafka.
  await pipeline.pool.query(`
    INSERT INTO outbox.events (event_id, service, topic, key, value, headers, published)
      SELECT (r.headers ->> 'ce_id')::uuid, 'withdrawal-gate', t.name, r.key, r.value, r.headers, true
      FROM log.records r JOIN log.topics t ON t.id = r.topic WHERE t.name = 'screenings.requested';
    INSERT INTO outbox.events (event_id, service, topic, key, value, headers, published)
      SELECT gen_random_uuid(), 'console', topic, key, value, headers, true FROM outbox.events;
    TRUNCATE intake.transfers`);
  await lose('screenings.requested');
  await startDecider();
  await isStopped('decision');
  const { rebuilt } = await command('rebuild', 'decision');
  expect(rebuilt).toEqual([{ topic: 'screenings.requested', audit_log: 0, outbox: 1, tables: 0 }]);
  expect(await published('screenings.requested')).toEqual(before);
});
