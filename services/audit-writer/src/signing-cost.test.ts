import { randomBytes } from 'node:crypto';
import { createSignerKey, signCheckpoint } from '@weir/audit-log';
import { eventId } from '@weir/contracts';
import { migrate, type Pool } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { append } from './append.ts';
import { Checkpoints } from './checkpoints.ts';
import { entryOf } from './entry.ts';
import { auditMigrations } from './migrations.ts';

let db: TestDatabase;
let statements: string[];
let checkpoints: Checkpoints;
beforeEach(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'audit', auditMigrations);
  statements = [];
  const key = createSignerKey('test', Buffer.alloc(32, 1));
  let kept: string | undefined;
  checkpoints = new Checkpoints({
    pool: counted(db.pool),
    signer: { origin: 'test', keys: [key.verifier], sign: async (checkpoint) => signCheckpoint(checkpoint, [key]) },
    last: { read: () => kept, write: (note) => (kept = note) },
  });
});
afterEach(() => db.drop());

/** Notes each statement, of transactions too. */
function counted(pool: Pool): Pool {
  return {
    ...pool,
    query: (text, values) => {
      statements.push(text);
      return pool.query(text, values);
    },
    connect: async () => {
      const client = await pool.connect();
      return new Proxy(client, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]): unknown => {
            if (name === 'query') statements.push((given[0] as { text?: string }).text ?? String(given[0]));
            return Reflect.apply(value, target, given);
          };
        },
      });
    },
  };
}

async function grow(from: number, count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, n) => ({
    topic: 'screenings.scored',
    key: 'd',
    value: Buffer.from(String(from + n)),
    headers: { ce_id: eventId('test', from + n) },
    partition: 0,
    offset: BigInt(from + n),
    timestamp: 0,
  }));
  await append(db.pool, entries.map(entryOf), randomBytes);
}

/** Statements of a signature that are not the transaction's own. */
async function sign(): Promise<number> {
  statements = [];
  await checkpoints.sign();
  return statements.filter((text) => !/^(BEGIN|COMMIT|ROLLBACK)/.test(text)).length;
}

test('a signature takes the same number of statements however the tree has grown, and one where it has not', async () => {
  await grow(0, 3);
  await sign();
  const taken: number[] = [];
  for (const [from, count] of [
    [3, 5],
    [8, 292],
    [300, 431],
    [731, 1],
  ] as const) {
    await grow(from, count);
    taken.push(await sign());
    expect(checkpoints.latest?.size).toBe(from + count);
    expect(await sign()).toBe(1);
  }
  // The state before and under the lock, the lock, the leaves and the levels above for each of two checkpoints, the publication.
  expect(Math.max(...taken)).toBeLessThanOrEqual(8);
});

test('a published checkpoint that another has replaced is verified and put right', async () => {
  await grow(0, 3);
  await sign();
  const note = checkpoints.latest?.note;
  await db.pool.query('DELETE FROM audit.checkpoint');
  await sign();
  expect((await db.pool.query('SELECT note FROM audit.checkpoint')).rows).toEqual([{ note }]);
});
