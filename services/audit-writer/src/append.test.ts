import { randomBytes } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { eventId } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { append } from './append.ts';
import { entryOf } from './entry.ts';
import { type AuditEntry, checkIndex, exportEntries } from './index.ts';
import { auditMigrations } from './migrations.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'audit', auditMigrations);
});
afterEach(() => db.drop());

const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function record(n: number, over: Partial<LogRecord> = {}): LogRecord {
  const id = eventId('test', n);
  const headers = { ce_id: id, ce_time: new Date(time).toISOString() };
  return {
    topic: 'screenings.scored',
    key: `d-${n}`,
    value: Buffer.from(`event ${n}`),
    headers,
    partition: 1,
    offset: BigInt(n),
    timestamp: time + 9,
    ...over,
  };
}

const write = (records: readonly LogRecord[], pool = db.pool) => append(pool, records.map(entryOf), randomBytes);

async function all(options?: { from?: bigint }): Promise<AuditEntry[]> {
  return Array.fromAsync(exportEntries(db.pool, options));
}

test('the trace of a request is no screening, though its id looks like one; that of an act on a screening is', () => {
  const screening = '16fd2706-8baf-533b-a82b-bb81c2b3ee25';
  const headers = { ...record(7).headers, traceparent: `00-${screening.replaceAll('-', '')}-00f067aa0ba902b7-01` };
  const screeningOf = (over: Partial<LogRecord>): string | null => entryOf(record(7, { headers, ...over })).screeningId;
  expect(screeningOf({ topic: 'labels.changed', key: 'labels' })).toBeNull();
  expect(screeningOf({ topic: 'activities.recorded', key: 'a-key' })).toBeNull();
  expect(screeningOf({ topic: 'activities.recorded.dlq', key: 'a-key' })).toBeNull();
  expect(screeningOf({ topic: 'activities.recorded', key: screening })).toBe(screening);
  expect(screeningOf({})).toBe(screening);
});

test('an entry reads as the record stood in the log', async () => {
  const traceparent = '00-16fd27068baf533ba82bbb81c2b3ee25-00f067aa0ba902b7-01';
  const value = Buffer.from([0, 255, 1]);
  await write([record(7, { value, headers: { ...record(7).headers, traceparent }, offset: 9_007_199_254_740_993n })]);
  expect(await all()).toEqual([
    {
      index: 0n,
      event_id: eventId('test', 7),
      conflicts_with: null,
      topic: 'screenings.scored',
      key: 'd-7',
      value,
      headers: { ce_id: eventId('test', 7), ce_time: '2026-01-02T03:04:05.678Z', traceparent },
      log_partition: 1,
      log_offset: 9_007_199_254_740_993n,
      event_time: '2026-01-02T03:04:05.678000Z',
      screening_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25',
      recorded_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      erased_by: null,
      salt: expect.any(Buffer),
      commitment: null,
      leaf_hash: expect.any(Buffer),
    },
  ]);
});

test('the export gives all pages in order, from where it is asked to', async () => {
  const numbers = Array.from({ length: 250 }, (_, n) => n);
  await write(numbers.map((n) => record(n)));
  expect((await all()).map(({ index, key }) => [index, key])).toEqual(numbers.map((n) => [BigInt(n), `d-${n}`]));
  expect((await all({ from: 248n })).map(({ key }) => key)).toEqual(['d-248', 'd-249']);
  expect(await all({ from: 250n })).toEqual([]);
});

describe('an event that comes again', () => {
  test('adds nothing, in a later batch or in the same', async () => {
    expect(await write([record(1), record(1), record(2)])).toHaveLength(2);
    expect(await write([record(2, { partition: 3, offset: 99n }), record(1), record(3)])).toHaveLength(1);
    expect((await all()).map(({ index, key }) => [index, key])).toEqual([
      [0n, 'd-1'],
      [1n, 'd-2'],
      [2n, 'd-3'],
    ]);
  });

  test.each([
    ['value', { value: Buffer.from('something else') }],
    ['key', { key: 'another' }],
    ['topic', { topic: 'screenings.decided' }],
  ])('with another %s is kept beside the first, once', async (_, other) => {
    const third = record(1, { value: Buffer.from('a third') });
    await write([record(1), record(1, other)]);
    expect(await write([record(1, other), third, record(1), third])).toHaveLength(1);
    const entries = await all();
    expect(entries.map(({ conflicts_with }) => conflicts_with)).toEqual([null, eventId('test', 1), eventId('test', 1)]);
    expect(new Set(entries.map(({ event_id }) => event_id)).size).toBe(3);
    expect(entries[1]).toMatchObject(other);
  });

  test('under the id that a conflict was given is kept as well', async () => {
    await write([record(1), record(1, { value: Buffer.from('b') })]);
    const derived = (await all())[1]?.event_id ?? '';
    await write([record(2, { headers: { ce_id: derived } })]);
    expect((await all())[2]).toMatchObject({ conflicts_with: derived, key: 'd-2' });
  });
});

describe('a record is kept', () => {
  test.each<[string, Partial<LogRecord>]>([
    ['without headers', { headers: {} }],
    ['with an id that is none', { headers: { ce_id: 'x', ce_time: 'yesterday', traceparent: '00-zz-1' } }],
    ['with a time before all times', { headers: { ce_time: '-271821-04-20T00:00:00Z' } }],
    ['with a time of its log that makes no sense', { headers: {}, timestamp: -1 }],
    ['with what a text cannot hold', { key: 'a\0b\ud800', headers: { 'x\0': '\0"\\ud800' } }],
    ['without bytes', { value: Buffer.alloc(0) }],
  ])('%s', async (_, other) => {
    expect(await write([record(1, other)])).toHaveLength(1);
    expect(await write([record(1, other)])).toHaveLength(0);
  });

  test('from a dead letter topic under an id of its place, beside the event it holds', async () => {
    const dead = record(1, { topic: 'screenings.scored.dlq', partition: 0, offset: 4n });
    await write([record(1), dead, { ...dead, offset: 5n }]);
    expect((await all()).map(({ event_id, conflicts_with }) => [event_id, conflicts_with])).toEqual([
      [eventId('test', 1), null],
      [eventId('screenings.scored.dlq', 0, '4'), null],
      [eventId('screenings.scored.dlq', 0, '5'), null],
    ]);
  });
});

test.each(['UPDATE audit.entries SET key = $$x$$', 'DELETE FROM audit.entries WHERE index = 0', 'TRUNCATE audit.entries'])(
  'refuses %s to everybody',
  async (sql) => {
    await write([record(1)]);
    const before = await all();
    await expect(db.pool.query(sql)).rejects.toMatchObject({ code: '42501' });
    const client = await db.pool.connect();
    try {
      // Such a session skips ordinary triggers.
      await client.query('SET session_replication_role = replica');
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    } finally {
      client.release(true);
    }
    expect(await all()).toEqual(before);
  },
);

test('two writers with the same events in any order keep each once, without gaps, while a reader looks on', async () => {
  const other = db.openPool();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.nat(40), { maxLength: 12 }), { minLength: 2, maxLength: 10 }), async (batches) => {
      const first = BigInt((await all()).length);
      run += 1;
      const events = (batch: readonly number[]) => batch.map((n) => record(run * 1_000 + n));
      const writing = Promise.all([
        ...batches.map((batch) => write(events(batch))),
        ...batches.map((batch) => write(events(batch.toReversed()), other)),
      ]);
      const gaps = await gapsSeenWhile(writing);
      const written = (await all({ from: first })).map(({ key }) => key);
      expect(gaps).toEqual([]);
      expect([...written].sort()).toEqual([...new Set(batches.flat())].map((n) => `d-${run * 1_000 + n}`).sort());
      expect((await writing).flat()).toHaveLength(written.length);
    }),
    { numRuns: 15 },
  );
});

async function gapsSeenWhile(writing: Promise<unknown>): Promise<unknown[]> {
  let over = false;
  const end = (): void => void (over = true);
  writing.then(end, end);
  const gaps: unknown[] = [];
  while (!over) {
    const { rows } = await db.pool.query<{ count: bigint; size: bigint }>(
      'SELECT count(*) AS count, coalesce(max(index) + 1, 0) AS size FROM audit.entries',
    );
    if (rows[0]?.count !== rows[0]?.size) gaps.push(rows[0]);
  }
  return gaps;
}

describe('what was removed or written by hand is named, by the export and by the check of the index', () => {
  /** As the table's owner, who can disable every guard. */
  const meddle = (sql: string) =>
    db.pool.query(
      `ALTER TABLE audit.entries DISABLE TRIGGER ALL; ${sql}; ALTER TABLE audit.entries ENABLE ALWAYS TRIGGER entries_append_only`,
    );
  const indexes: bigint[] = [];
  const exported = async (from = 0n): Promise<string> => {
    indexes.length = 0;
    try {
      for await (const entry of exportEntries(db.pool, { from })) indexes.push(entry.index);
      return 'whole';
    } catch (error) {
      return `${(error as { code: string }).code}: ${(error as Error).message}`;
    }
  };
  const checked = () => checkIndex(db.pool, { clock: systemClock, limitMs: 10_000 });
  beforeEach(() => write(Array.from({ length: 250 }, (_, n) => record(n))));

  test('nothing, where nothing was done', async () => {
    expect(await exported()).toBe('whole');
    expect(await checked()).toEqual({ problem: undefined, size: 250n, isWhole: true });
  });

  test('deleted entries, also the first, and all others are still exported', async () => {
    await meddle('DELETE FROM audit.entries WHERE index IN (0, 17) OR index BETWEEN 99 AND 101');
    const problem = 'the index of the audit log is broken: missing 0, 17, 99 to 101';
    expect(await exported()).toBe(`AUDIT_INDEX_BROKEN: ${problem}`);
    expect(indexes).toHaveLength(245);
    expect(await exported(18n)).toBe('AUDIT_INDEX_BROKEN: the index of the audit log is broken: missing 99 to 101');
    expect(await exported(102n)).toBe('whole');
    expect(await checked()).toMatchObject({ problem, isWhole: true });
  });

  test('an index that stands twice, or stands below 0', async () => {
    await meddle(`ALTER TABLE audit.entries DROP CONSTRAINT entries_pkey, DROP CONSTRAINT entries_index_check;
      UPDATE audit.entries SET index = 99 WHERE index IN (100, 101)`);
    const problem = 'the index of the audit log is broken: missing 100 to 101; repeated or out of order 99';
    expect(await exported()).toBe(`AUDIT_INDEX_BROKEN: ${problem}`);
    expect(indexes).toHaveLength(250);
    expect(await checked()).toMatchObject({ problem });
    await meddle('UPDATE audit.entries SET index = -1 WHERE index = 249');
    expect((await checked()).problem).toMatch(/repeated or out of order -1, 99/);
  });
});
