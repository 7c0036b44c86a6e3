import { auditMigrations, startAuditWriter } from '@weir/audit-writer';
import { decisionMigrations, startDecision } from '@weir/decision';
import { migrate } from '@weir/postgres';
import { rateBudgetMigrations } from '@weir/rate-budget';
import { startUpstream } from '@weir/risk-client/testing';
import { scoringMigrations, startScoring } from '@weir/scoring';
import type { Pipeline, Service } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestRole, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { startWithdrawalGate } from '@weir/withdrawal-gate';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gateRole, gateSettings, withdrawal } from '../../services/withdrawal-gate/src/gate.testing.ts';
import { settingsFor } from '../../services/scoring/src/settings.testing.ts';

let stack: TestStack;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
beforeEach(async () => {
  stack = await openTestStack();
  upstream = await startUpstream();
});
afterEach(async () => {
  await stack.close();
  await upstream.close();
});

type Start = (pipeline: Pipeline) => Promise<Service>;
const starts: readonly (readonly [TestRole, Start])[] = [
  [gateRole, (one) => startWithdrawalGate(one, gateSettings())],
  [
    { service: 'scoring', modules: { scoring: scoringMigrations, 'rate-budget': rateBudgetMigrations } },
    (one) => startScoring(one, settingsFor(upstream)),
  ],
  [
    { service: 'decision', modules: { decision: decisionMigrations } },
    (one) => startDecision(one, { policyFile: '', reviewSingleBelowUsd: '' }),
  ],
  [{ service: 'audit-writer', modules: { audit: auditMigrations } }, (one) => startAuditWriter(one, { auditBatch: 100 })],
];

/** One further migration for each module: adds a column to each of its tables. */
async function migrateToNextVersion(): Promise<void> {
  const { pool } = stack.db;
  const tables = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const modules = await pool.query<{ module: string }>('SELECT DISTINCT module FROM weir.migrations');
  await migrate(pool, 'next', [
    { id: 'next/0001-columns', sql: tables.rows.map(({ name }) => `ALTER TABLE ${name} ADD COLUMN next_version text`).join(';') },
  ]);
  for (const { module } of modules.rows) {
    const sha256 = 'a later step of a later version';
    await pool.query('INSERT INTO weir.migrations (id, module, sha256) VALUES ($1, $2, $3)', [`${module}/9999-next`, module, sha256]);
  }
}

let count = 0;
async function screenOne(): Promise<void> {
  count += 1;
  const id = `w-${count}`;
  const [gate, , , audit] = replicas;
  if (gate === undefined || audit === undefined) throw new Error('not started');
  await publishTo(gate.pipeline, 'withdrawals.requested', {
    ...withdrawal,
    withdrawal_id: id,
    to_address: `0x${String(count).padStart(40, 'c')}`,
  });
  const decided = async (): Promise<unknown> =>
    (await readTopic(gate.pipeline, 'screenings.decided')).find(({ data }) => data.transfer.source_id === id)?.data.action;
  await vi.waitFor(async () => expect(await decided()).toBe('allow'), { timeout: 30_000, interval: 50 });
  await caughtUp(gate.pipeline, 'withdrawal-gate.decisions');
  await caughtUp(audit.pipeline, 'audit-writer');
}

let replicas: TestService[] = [];
async function startAll(): Promise<void> {
  replicas = await Promise.all(starts.map(([role, start]) => stack.service(start, { role })));
}

test('services keep running while the next version migrates the database, and start again after it', async () => {
  await startAll();
  await screenOne();
  await migrateToNextVersion();
  await screenOne();
  for (const replica of replicas) await replica.stop();
  await startAll();
  await screenOne();
});
