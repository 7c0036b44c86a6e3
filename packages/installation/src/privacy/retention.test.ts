import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import { appendErasure, readErasures } from './journal.ts';
import { approveErasure, listErasures, proposeErasure } from './requests.ts';
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

/** A deposit as the exchange publishes it, and the dead letter that it becomes. */
async function refusedDeposit(deposit_id: string, user_id: string): Promise<void> {
  const { log, codec } = await stack.pipeline();
  const to_address = '';
  const deposit = { deposit_id, chain: null, coin: 'ETH', txid: null, from_address: '0x1', to_address, amount: 'none', usd_value: null };
  const value = codec.encode('deposits.detected', { ...deposit, user_id, detected_at: 1_000, memo: null });
  const record = { key: deposit_id, value, headers: {} };
  await log.publish(['deposits.detected', 'deposits.detected.dlq'].map((topic) => ({ ...record, topic })));
}

const holding = async (word: string): Promise<Record<string, number>> => {
  const { rows } = await stack.db.pool.query<{ entries: number; records: number }>(
    `SELECT (SELECT count(*)::int FROM audit.entries WHERE position($1::bytea IN value) > 0 OR key = $2) AS entries,
       (SELECT count(*)::int FROM log.records WHERE position($1::bytea IN value) > 0 OR key = $2) AS records`,
    [Buffer.from(word), word],
  );
  return rows[0] ?? {};
};
const people = { rules: { days: 1_827, allowsEarly: false }, now: systemClock.now() };

/** Customers of requests that are not done. */
const requested = async (): Promise<unknown[]> =>
  (await stack.db.pool.query('SELECT user_id FROM access.erasures WHERE user_id IS NOT NULL OR done_at IS NULL')).rows;

test('a request that nobody approved is forgotten when the time of its customer has ended', async () => {
  await screenedBefore(40, 'd-old');
  await screenedBefore(10, 'd-young');
  for (const id of ['d-old', 'd-young'])
    await proposeErasure(
      of.pool,
      { userId: `customer-${id}`, reason: 'asked', isEarly: true, by: request.proposedBy },
      { ...people, rules: { days: 30, allowsEarly: true } },
    );
  await startRest();
  await stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; UPDATE audit.entries SET event_time = event_time - interval '40 days' WHERE screening_id = '${old}';
    ALTER TABLE audit.entries ENABLE TRIGGER ALL`);
  expect(await eraseExpired(of, 30)).toMatchObject({ screenings: 1 });
  expect(await requested()).toEqual([{ user_id: 'customer-d-young' }]);
});

test('dead letters that never became a transfer are erased with their customer, and those of others are not', async () => {
  await refusedDeposit('d-refused', 'customer-1');
  await refusedDeposit('d-other', 'customer-11');
  await startRest();
  await expect(
    proposeErasure(of.pool, { userId: 'customer', reason: 'asked', isEarly: false, by: request.proposedBy }, people),
  ).rejects.toMatchObject({ code: 'NOTHING_TO_ERASE' });
  const proposal = { userId: 'customer-1', reason: 'asked', isEarly: false, by: request.proposedBy };
  const { erasureId, screenings } = await proposeErasure(of.pool, proposal, people);
  expect(screenings).toBe(1);
  await proposeErasure(of.pool, proposal, people);
  const approval = { start: erasureId, by: request.approvedBy };
  expect(await approveErasure(of, approval, { rules: people.rules, journal: join(folder, 'erasures.jsonl') })).toMatchObject({
    entries: 2,
  });
  expect(await holding('d-refused')).toEqual({ entries: 0, records: 0 });
  expect(await holding('d-other')).toEqual({ entries: 2, records: 2 });
  expect(await requested()).toEqual([]);
});

test('an erasure whose journal cannot be written is not approved, and its approval can be repeated', async () => {
  await refusedDeposit('d-refused', 'customer-1');
  await startRest();
  const proposal = { userId: 'customer-1', reason: 'asked', isEarly: false, by: request.proposedBy };
  const { erasureId } = await proposeErasure(of.pool, proposal, people);
  const approval = { start: erasureId, by: request.approvedBy };
  const { rules } = people;
  writeFileSync(join(folder, 'no-folder'), '');
  await expect(approveErasure(of, approval, { rules, journal: join(folder, 'no-folder', 'erasures.jsonl') })).rejects.toThrow();
  expect(await listErasures(of.pool)).toMatchObject([{ erasure_id: erasureId, approved_by: null, done_at: null }]);
  expect(await finishErasures(of)).toEqual([]);
  expect(await holding('d-refused')).toEqual({ entries: 2, records: 2 });
  // As after a kill between the line and the commit.
  const refused = scored('d-refused').screening_id;
  const journal = await journalOf(erasureId, [refused]);
  await journalOf(erasureId, [refused]);
  const reopened = [{ erasureId, screenings: [refused] }];
  expect(await reopenErasures(of.pool, { journal, mend: false })).toEqual({ reopened, torn: [] });
  expect(await approveErasure(of, approval, { rules, journal })).toMatchObject({ entries: 2 });
  expect(await readErasures(journal)).toHaveLength(3);
  expect(await reopenErasures(of.pool, { journal, mend: false })).toEqual({ reopened: [], torn: [] });
  expect(await holding('d-refused')).toEqual({ entries: 0, records: 0 });
  expect(await countActs()).toBe(1);
});

test('dead letters expire, and so does what came again after its transfer was erased', async () => {
  await screenedBefore(40, 'd-old');
  await refusedDeposit('d-refused', 'customer-1');
  await startRest();
  const backdate = () =>
    stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; UPDATE audit.entries SET event_time = event_time - interval '40 days';
      ALTER TABLE audit.entries ENABLE TRIGGER ALL`);
  expect(await eraseExpired(of, 30)).toEqual({ screenings: 0, entries: 0 });
  await backdate();
  expect(await eraseExpired(of, 30)).toEqual({ screenings: 2, entries: 4 });
  await refusedDeposit('d-old', 'customer-d-old');
  await vi.waitFor(async () => expect(await holding('d-old')).toEqual({ entries: 2, records: 2 }), { timeout: 30_000 });
  expect(await eraseExpired(of, 30)).toEqual({ screenings: 0, entries: 0 });
  await backdate();
  expect(await eraseExpired(of, 30)).toEqual({ screenings: 1, entries: 2 });
  expect(await holding('d-old')).toEqual({ entries: 0, records: 0 });
});
