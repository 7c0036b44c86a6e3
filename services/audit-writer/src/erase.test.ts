import { randomBytes, randomUUID } from 'node:crypto';
import { ErasureCheck } from '@weir/audit-log';
import { eventId } from '@weir/contracts';
import { migrate, transaction } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { append, entryOf, eraseEntries, erasureActOf, erasureActs, exportEntries, findEntries, findEntry } from './index.ts';
import { auditMigrations } from './migrations.ts';
import { verifyStored } from './verify-stored.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'audit', auditMigrations);
});
afterEach(() => db.drop());

const screening = '16fd2706-8baf-533b-a82b-bb81c2b3ee25';
const traceparent = '00-16fd27068baf533ba82bbb81c2b3ee25-00f067aa0ba902b7-01';
const record = (n: number, topic = 'screenings.scored', value = `secret ${n}`) =>
  entryOf({
    topic,
    key: `secret-${n}`,
    value: Buffer.from(value),
    headers: { ce_id: eventId('erase', n), ...(n === 1 ? { traceparent } : {}) },
    partition: 0,
    offset: BigInt(n),
    timestamp: 0,
  });
const act = eventId('erase', 9);

async function eraseTwo(): Promise<void> {
  await append(db.pool, [record(0), record(1), record(2)], randomBytes);
  const found = await findEntries(db.pool, { screenings: [screening], eventIds: [eventId('erase', 2)] });
  expect(found.map(({ index }) => index)).toEqual([1, 2]);
  await append(db.pool, [record(9, 'activities.recorded')], randomBytes);
  await transaction(db.pool, (tx) => eraseEntries(tx, { eventId: act, indexes: found.map(({ index }) => index) }));
}

test('payload and salt are gone from the rows, and each leaf stands', async () => {
  await eraseTwo();
  const { rows } = await db.pool.query<{ text: string }>(`SELECT e::text || convert_from(value, 'UTF8') AS text FROM audit.entries e`);
  expect(rows.filter(({ text }) => /secret[- ][12]/.test(text))).toEqual([]);
  const problems: string[] = [];
  expect((await verifyStored(db.pool, { sizes: [], onProblem: (text) => problems.push(text) })).size).toBe(4);
  expect(problems).toEqual([]);
  expect(await findEntry(db.pool, eventId('erase', 1))).toMatchObject({ key: '', salt: Buffer.alloc(0), erased_by: act });
  const exported = await Array.fromAsync(exportEntries(db.pool));
  expect(exported.map(({ salt, commitment, erased_by }) => [salt?.length, commitment?.length, erased_by])).toEqual([
    [16, undefined, null],
    [undefined, 32, act],
    [undefined, 32, act],
    [16, undefined, null],
  ]);
  expect(await findEntries(db.pool, { screenings: [screening], eventIds: [eventId('erase', 2)] })).toEqual([]);
});

test('an erased event that comes again is not stored again, whatever it has', async () => {
  await eraseTwo();
  expect(await append(db.pool, [record(1), { ...record(2), value: Buffer.from('other') }], randomBytes)).toEqual([]);
});

describe('an act', () => {
  const at = Date.UTC(2026, 5, 1);
  const [one, two] = [
    { id: 'reviewer:1', name: 'One' },
    { id: 'approver:2', name: 'Two' },
  ];
  const made = (cause: Parameters<typeof erasureActs>[0]['cause'], indexes: readonly number[]) =>
    erasureActs({ erasureId: screening, cause, at }, indexes, randomUUID);
  const read = (acts: ReturnType<typeof made>) =>
    acts.map(({ activity: { id, action, subjectType, subject, by, details = {} } }, n) =>
      erasureActOf(
        { event_id: id, index: 1_000_000 + n },
        {
          activity_id: id,
          action,
          subject_type: subjectType,
          subject,
          person_id: by.id,
          person_name: by.name,
          details: Object.entries(details).map(([name, value]) => ({ name, value })),
          recorded_at: at,
        },
      ),
    );

  test('of two people counts, of one it does not', () => {
    const request = { kind: 'request', reason: 'asked', proposedBy: one, approvedBy: two } as const;
    expect(read(made(request, [3]))).toEqual([expect.objectContaining({ entries: '3', before: null, problem: undefined })]);
    expect(read(made({ ...request, approvedBy: { id: 'approver:1', name: 'Else' } }, [3]))[0]?.problem).toMatch('one person alone');
  });

  test('of retention counts for events older than its days', () => {
    const retention = { kind: 'retention', days: 31, before: new Date(Date.UTC(2026, 4, 1)) } as const;
    expect(read(made(retention, [3]))[0]).toMatchObject({ problem: undefined, before: '2026-05-01T00:00:00.000Z' });
    expect(read(made({ ...retention, days: 32 }, [3]))[0]?.problem).toMatch('contradicts its own number of days');
  });

  test('of very many entries is several events', () => {
    const indexes = Array.from({ length: 20_000 }, (_, n) => n * 2);
    const acts = made({ kind: 'request', reason: 'asked', proposedBy: one, approvedBy: two }, indexes);
    expect(acts.flatMap((own) => own.indexes)).toEqual(indexes);
    const check = new ErasureCheck();
    for (const { activity, indexes: own } of acts)
      for (const index of own) check.seeErased(index, { erased_by: activity.id, event_time: '2026-01-01T00:00:00Z' });
    for (const each of read(acts)) if (each !== undefined) check.seeAct(each);
    expect([...check.problems({ isPart: false })]).toEqual([]);
    for (const { activity } of acts) expect(JSON.stringify(activity).length).toBeLessThan(200_000);
  });
});
