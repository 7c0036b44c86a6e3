import { Codec } from '@weir/contracts';
import { resolved } from '@weir/contracts/testing';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { schemaMigrations } from './migrations.ts';
import { postgresSchemaIds } from './schema-ids.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'schemas', schemaMigrations);
});
afterEach(() => db.drop());

test('a schema has one number for ever, and another schema or topic another', async () => {
  const ids = postgresSchemaIds(db.pool);
  const first = await ids.register('deposits.detected', '"string"');
  const other = await ids.register('deposits.detected', '"int"');
  const elsewhere = await ids.register('screenings.scored', '"string"');
  expect(new Set([first, other, elsewhere]).size).toBe(3);
  expect(await postgresSchemaIds(db.openPool()).register('deposits.detected', '"string"')).toBe(first);
  expect(await ids.find(other)).toBe('"int"');
});

test.each([0, 4_000, 2_147_483_648, 4_294_967_295])("number %i is nobody's", async (id) => {
  expect(await postgresSchemaIds(db.pool).find(id)).toBeUndefined();
});

test('who registers at once gets the same number', async () => {
  const replicas = [db.pool, db.openPool(), db.openPool()].map(postgresSchemaIds);
  for (let n = 0; n < 10; n += 1) {
    const given = await Promise.all([...replicas, ...replicas].map((ids) => ids.register('deposits.detected', `"schema ${n}"`)));
    expect(new Set(given).size).toBe(1);
  }
});

test('what one process writes another reads', async () => {
  const [writer, reader] = await Promise.all([db.pool, db.openPool()].map((pool) => Codec.open(postgresSchemaIds(pool))));
  const review = resolved('s');
  expect(await reader?.decode('reviews.resolved', writer?.encode('reviews.resolved', review) ?? Buffer.alloc(0))).toEqual(review);
});
