import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAuditWriter } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { consoleSchema, startConsole } from '@weir/console';
import { scored } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import { loadConfig } from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { migrateServices } from '../migrate.ts';
import { type Erasing, eraseScreenings } from './erase.ts';
import { appendErasure } from './journal.ts';
import { eraseExpired } from './retention.ts';
import { finishErasures, reopenErasures } from './unfinished.ts';

let stack: TestStack;
let of: Erasing;
let folder: string;
const dayMs = 86_400_000;
const [old, young] = [scored('d-old').screening_id, scored('d-young').screening_id];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-journal-'));
  stack = await openTestStack();
  await migrateServices(stack.db.pool);
  of = { pool: stack.db.pool, clock: systemClock, signal: new AbortController().signal, waitMs: 60_000 };
});
afterEach(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

/** An allowed deposit of this many days ago, in every service's tables. */
async function screenedBefore(days: number, id: string): Promise<void> {
  const at = systemClock.now() - days * dayMs;
  const result = { ...scored(id), risk_level: 'Low' as const, score: 3, requested_at: at, scored_at: at, deadline_at: at + 600_000 };
  const transfer = { ...result.transfer, user_id: `customer-${id}`, occurred_at: at };
  const clock = { ...systemClock, now: () => systemClock.now() - days * dayMs };
  const decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }), { clock });
  await publishTo(decision.pipeline, 'screenings.scored', { ...result, transfer });
  await caughtUp(decision.pipeline, 'decision');
  await decision.stop();
  await stack.db.pool.query(`INSERT INTO intake.transfers (screening_id, given, request) VALUES ($1, $2, $3)`, [
    result.screening_id,
    transfer,
    { kind: 'deposit', subject: transfer.from_address, transfer },
  ]);
}

async function startRest() {
  const audit = await stack.service((pipeline) => startAuditWriter(pipeline, { auditBatch: 100 }));
  const console = await stack.service((pipeline) => startConsole(pipeline, loadConfig(consoleSchema, {})));
  for (const [{ pipeline }, group] of [
    [audit, 'audit-writer'],
    [console, 'console'],
  ] as const)
    await caughtUp(pipeline, group);
}

const customers = async (): Promise<string[]> =>
  (
    await stack.db.pool.query<{ id: string }>(
      `SELECT transfer ->> 'user_id' AS id FROM decision.screenings WHERE transfer ->> 'user_id' IS NOT NULL ORDER BY 1`,
    )
  ).rows.map(({ id }) => id);

test('what is older than its time is erased with an act of retention, and the rest stays; a repeat changes nothing', async () => {
  await screenedBefore(40, 'd-old');
  await screenedBefore(10, 'd-young');
  await startRest();
  expect(await eraseExpired(of, 0)).toEqual({ screenings: 0, entries: 0 });
  expect(await eraseExpired(of, 50)).toEqual({ screenings: 0, entries: 0 });
  const { rows } = await stack.db.pool.query(`SELECT DISTINCT screening_id FROM audit.entries WHERE screening_id IS NOT NULL ORDER BY 1`);
  expect(rows.map(({ screening_id }) => screening_id)).toEqual([old, young].sort());
  // The events of a test are of now.
  await stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; UPDATE audit.entries SET event_time = event_time - interval '40 days' WHERE screening_id = '${old}';
    ALTER TABLE audit.entries ENABLE TRIGGER ALL`);
  expect(await eraseExpired(of, 30)).toEqual({ screenings: 1, entries: 2 });
  expect(await customers()).toEqual(['customer-d-young']);
  expect(await eraseExpired(of, 30)).toEqual({ screenings: 0, entries: 0 });
  const { rows: acts } = await stack.db.pool.query(
    `SELECT person_id, details FROM access.activities WHERE action = 'personal_data_erased'`,
  );
  expect(acts).toEqual([{ person_id: 'weir', details: expect.arrayContaining([{ name: 'days', value: '30' }]) }]);
});

test('an expiry that was interrupted behind its act goes on with that act', async () => {
  await screenedBefore(40, 'd-old');
  const audit = await stack.service((pipeline) => startAuditWriter(pipeline, { auditBatch: 100 }));
  await caughtUp(audit.pipeline, 'audit-writer');
  await audit.stop();
  await stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; UPDATE audit.entries SET event_time = event_time - interval '40 days';
    ALTER TABLE audit.entries ENABLE TRIGGER ALL`);
  await expect(eraseExpired({ ...of, waitMs: 0 }, 30)).rejects.toMatchObject({ code: 'ACT_UNRECORDED' });
  expect([await countActs(), await customers()]).toEqual([1, ['customer-d-old']]);
  await startRest();
  expect(await eraseExpired(of, 30)).toMatchObject({ screenings: 1 });
  expect([await countActs(), await customers()]).toEqual([1, []]);
});

const request = {
  kind: 'request',
  reason: 'asked',
  proposedBy: { id: 'reviewer:1', name: 'One' },
  approvedBy: { id: 'approver:2', name: 'Two' },
} as const;
const countActs = async (): Promise<number> =>
  (await stack.db.pool.query(`SELECT FROM access.activities WHERE action = 'personal_data_erased'`)).rows.length;

/** The journal of one erasure of these. */
async function journalOf(erasureId: string, screenings: readonly string[]): Promise<string> {
  const journal = join(folder, 'erasures.jsonl');
  await appendErasure(journal, { erasure_id: erasureId, approved_at: '2031-01-01T00:00:00Z', cause: request, screenings });
  return journal;
}

test('a restored database is erased again by the journal, and a repeat makes no second act', async () => {
  await screenedBefore(40, 'd-old');
  const erasureId = randomUUID();
  await startRest();
  expect(await reopenErasures(stack.db.pool, { journal: join(folder, 'none'), mend: true })).toEqual({ reopened: [], torn: [] });
  const journal = await journalOf(erasureId, [old]);
  // The database has the transfer again, as after a restore.
  const reopened = [{ erasureId, screenings: [old] }];
  expect(await reopenErasures(stack.db.pool, { journal, mend: false })).toEqual({ reopened, torn: [] });
  expect(await finishErasures(of)).toEqual([]);
  expect(await reopenErasures(stack.db.pool, { journal, mend: true })).toEqual({ reopened, torn: [] });
  expect(await finishErasures(of)).toEqual([{ erasureId, screenings: 1, entries: 2 }]);
  expect(await customers()).toEqual([]);
  expect(await reopenErasures(stack.db.pool, { journal, mend: true })).toEqual({ reopened: [], torn: [] });
  expect(await finishErasures(of)).toEqual([]);
  expect((await eraseScreenings(of, { erasureId, cause: request, screenings: [old] })).entries).toBe(0);
  expect(await countActs()).toBe(1);
});

test('an erasure that is killed between its act and its rows is finished by the next run, with the same act', async () => {
  await screenedBefore(40, 'd-old');
  const audit = await stack.service((pipeline) => startAuditWriter(pipeline, { auditBatch: 100 }));
  await caughtUp(audit.pipeline, 'audit-writer');
  await audit.stop();
  const erasureId = randomUUID();
  await reopenErasures(stack.db.pool, { journal: await journalOf(erasureId, [old]), mend: true });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'erase-process.ts'), stack.db.url], { stdio: 'inherit' });
  await vi.waitFor(async () => expect(await countActs()).toBe(1), { timeout: 60_000, interval: 20 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await customers()).toEqual(['customer-d-old']);
  await startRest();
  expect(await finishErasures(of)).toEqual([{ erasureId, screenings: 1, entries: 2 }]);
  expect(await customers()).toEqual([]);
  expect(await countActs()).toBe(1);
  const { rows } = await stack.db.pool.query(
    `SELECT count(*)::int AS n FROM audit.entries e JOIN access.activities a ON a.activity_id = e.erased_by WHERE a.subject = $1`,
    [erasureId],
  );
  expect(rows).toEqual([{ n: 2 }]);
});
