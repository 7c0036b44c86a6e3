import { randomBytes } from 'node:crypto';
import { appendLeaves, commitment, emptyFrontier, leafHash, leafOf, missingLeaf, rootOf } from '@weir/audit-log';
import { eventId } from '@weir/contracts';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { append, TreeBehindError } from './append.ts';
import { entryOf, type NewEntry } from './entry.ts';
import { auditMigrations } from './migrations.ts';
import { type LeafEntry, leafTime, takeIn } from './tree.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'audit', auditMigrations);
});
afterEach(() => db.drop());

function entry(n: number): NewEntry {
  const headers = { ce_id: eventId('test', n), ce_time: new Date(Date.UTC(2026, 0, 2) + n * 100).toISOString(), b: 'x', aa: 'y' };
  const value = Buffer.from(`event ${n}`);
  return entryOf({ topic: 'screenings.scored', key: `d-${n}`, value, headers, partition: 1, offset: BigInt(n), timestamp: 0 });
}

const write = (from: number, count: number, pool = db.pool) =>
  append(
    pool,
    Array.from({ length: count }, (_, n) => entry(from + n)),
    randomBytes,
  );

/** The tree that the rows alone give, as a reader of the database would compute it. */
async function computed() {
  const { rows } = await db.pool.query<LeafEntry & { index: bigint }>(
    `SELECT *, ${leafTime('event_time')} AS event_time, ${leafTime('recorded_at')} AS recorded_at FROM audit.entries ORDER BY index`,
  );
  const size = Number(rows.at(-1)?.index ?? -1n) + 1;
  const salts = await joined('salts');
  const commitments: Buffer[] = [];
  const hashes = Array.from({ length: size }, (_, n) => {
    const row = rows.find(({ index }) => index === BigInt(n));
    commitments.push(row === undefined ? Buffer.alloc(32) : commitment(salts.subarray(n * 16, n * 16 + 16), row));
    return leafHash(row === undefined ? missingLeaf : leafOf(row, commitments[n] as Buffer));
  });
  const { frontier, nodes } = appendLeaves(emptyFrontier, hashes);
  return { size, commitments: Buffer.concat(commitments), hashes: Buffer.concat(hashes), root: rootOf(frontier), nodes };
}

async function joined(column: 'salts' | 'commitments' | 'hashes'): Promise<Buffer> {
  const { rows } = await db.pool.query<{ bytes: Buffer }>(`SELECT ${column} AS bytes FROM audit.leaves ORDER BY first`);
  return Buffer.concat(rows.map(({ bytes }) => bytes));
}

async function stored() {
  const { rows } = await db.pool.query<{ size: bigint; frontier: Buffer[] }>('SELECT size, frontier FROM audit.tree');
  const { rows: nodes } = await db.pool.query<{ level: number; index: bigint; hash: Buffer }>(
    'SELECT * FROM audit.nodes ORDER BY level, index',
  );
  const size = Number(rows[0]?.size);
  return {
    size,
    commitments: await joined('commitments'),
    hashes: await joined('hashes'),
    root: rootOf({ size, hashes: rows[0]?.frontier ?? [] }),
    nodes: nodes.map(({ level, index, hash }) => ({ level, index: Number(index), hash })),
  };
}

test('each entry has a leaf that its row and its salt give again, over several batches', async () => {
  for (const [from, count] of [
    [0, 1],
    [1, 300],
    [301, 255],
    [556, 44],
  ] as const)
    expect(await write(from, count)).toHaveLength(count);
  await write(590, 20);
  expect(await stored()).toEqual(await computed());
  expect((await stored()).size).toBe(610);
});

test('two writers at once grow one tree', async () => {
  const other = db.openPool();
  await Promise.all(Array.from({ length: 20 }, (_, n) => write(n * 7, 10, n % 2 === 0 ? db.pool : other)));
  expect(await stored()).toEqual(await computed());
});

test('a batch whose transaction fails leaves neither entries nor leaves', async () => {
  await write(0, 3);
  await db.pool.query('ALTER TABLE audit.leaves ADD CONSTRAINT refused CHECK (first < 3)');
  await expect(write(3, 3)).rejects.toMatchObject({ code: '23514' });
  expect(await stored()).toEqual(await computed());
  expect((await stored()).size).toBe(3);
});

describe('entries of a version without the tree', () => {
  /** As that version writes them: rows without leaves. */
  const withoutTree = async (from: number, count: number): Promise<void> => {
    const columns = 'event_id, topic, key, value, headers, log_partition, log_offset, event_time';
    await db.pool.query(
      `INSERT INTO audit.entries (index, ${columns})
       SELECT n, gen_random_uuid(), 'screenings.scored', 'd-' || n, 'x', '{}', 0, n, now() FROM generate_series($1::int, $1 + $2 - 1) AS n`,
      [from, count],
    );
  };

  test('are taken in step by step, and a repetition adds nothing', async () => {
    await withoutTree(0, 25);
    expect(await takeIn(db.pool, { random: randomBytes, most: 10 })).toEqual({ size: 10, isWhole: false, missing: [] });
    expect(await takeIn(db.pool, { random: randomBytes, most: 10 })).toMatchObject({ size: 20, isWhole: false });
    expect(await takeIn(db.pool, { random: randomBytes, most: 10 })).toMatchObject({ size: 25, isWhole: true });
    expect(await takeIn(db.pool, { random: randomBytes, most: 10 })).toMatchObject({ size: 25, isWhole: true });
    expect(await stored()).toEqual(await computed());
  });

  test('written beside the next version are noticed, and then taken in', async () => {
    await write(0, 5);
    await withoutTree(5, 3);
    await expect(write(8, 2)).rejects.toThrow(TreeBehindError);
    await takeIn(db.pool, { random: randomBytes, most: 100 });
    expect(await write(8, 2)).toHaveLength(2);
    expect(await stored()).toEqual(await computed());
    expect((await stored()).size).toBe(10);
  });

  test('that were missing before have empty leaves, and are named', async () => {
    await withoutTree(0, 10);
    await db.pool.query('ALTER TABLE audit.entries DISABLE TRIGGER ALL; DELETE FROM audit.entries WHERE index = 4');
    expect(await takeIn(db.pool, { random: randomBytes, most: 100 })).toEqual({ size: 10, isWhole: true, missing: [4] });
    expect(await write(10, 1)).toHaveLength(1);
    expect(await stored()).toEqual(await computed());
  });
});
