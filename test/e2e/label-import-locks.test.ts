import { startAuditWriter } from '@weir/audit-writer';
import { startDecision } from '@weir/decision';

import { loadLabels, migrateRiskApi } from '@weir/risk-api';
import { caughtUp, openTestStack, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { startWithdrawalGate } from '@weir/withdrawal-gate';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scored } from '@weir/contracts/testing';
import { gateSettings } from '../../services/withdrawal-gate/src/gate.testing.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack();
  await migrateRiskApi(stack.db.pool);
});
afterEach(() => stack.close());

/** Runs `work` while a batch of labels holds all of its locks and cannot commit. */
async function whileLabelsAreImported(work: () => Promise<void>): Promise<void> {
  const { pool } = stack.db;
  const blocker = await stack.db.openPool().connect();
  const label = {
    chain: 'ethereum',
    name: 'A',
    category: 'scam',
    valid_from: null,
    valid_to: null,
    confidence: 1,
    source: 'test',
  } as const;
  try {
    // The batch writes this row last.
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM risk.label_state FOR UPDATE');
    const importing = loadLabels(stack.db.openPool(), [{ ...label, address: `0x${'a'.repeat(40)}` }]);
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE risk.label_state%'`;
    await vi.waitFor(async () => expect((await pool.query(waits)).rowCount).toBe(1), { timeout: 20_000 });
    await work();
    expect((await pool.query(waits)).rowCount).toBe(1);
    await blocker.query('COMMIT');
    expect(await importing).toMatchObject({ inserted: 1 });
  } finally {
    blocker.release(true);
  }
}

test('a batch of labels that is held open delays neither a decision nor an audit entry', async () => {
  const { pipeline } = await stack.service((one) => startDecision(one, { policyFile: '', reviewSingleBelowUsd: '' }));
  await stack.service((one) => startAuditWriter(one, { auditBatch: 100 }));
  await whileLabelsAreImported(async () => {
    await publishTo(pipeline, 'screenings.scored', scored('d-1'));
    await caughtUp(pipeline, 'decision');
    expect((await readTopic(pipeline, 'screenings.decided')).map(({ data }) => data.action)).toEqual(['allow']);
    await caughtUp(pipeline, 'audit-writer');
    expect((await pipeline.pool.query('SELECT FROM audit.entries')).rowCount).toBe(2);
  });
});

test('a gate starts while labels are imported', async () => {
  await whileLabelsAreImported(async () => {
    const { pipeline } = await stack.service((one) => startWithdrawalGate(one, gateSettings()));
    expect((await pipeline.pool.query('SELECT FROM gate.keys')).rowCount).toBe(1);
  });
});
