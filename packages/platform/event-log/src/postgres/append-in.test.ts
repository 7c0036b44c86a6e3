import { type Queryable, transaction } from '@weir/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAll, record, text, until } from '../behaviour/harness.ts';
import { settings } from './settings.ts';
import { type OneClient, openOneClient } from './testing.ts';

let client: OneClient;
beforeEach(async () => {
  client = await openOneClient();
  await client.database.pool.query('CREATE TABLE state (n integer)');
});
afterEach(() => client.close());

async function append(tx: Queryable, ...values: readonly string[]): Promise<void> {
  await client.log.append?.(
    tx,
    values.map((value) => record('t', 'k', value)),
  );
}
const stored = async (): Promise<number | null> => (await client.database.pool.query('SELECT FROM state')).rowCount;
const read = async (): Promise<string[]> => (await readAll(client.log, 't')).map(text);

test('records and state become true together, at the commit', async () => {
  await transaction(client.database.pool, async (tx) => {
    await tx.query('INSERT INTO state VALUES (1)');
    await append(tx, 'a', 'b');
    expect(await read()).toEqual([]);
  });
  expect([await stored(), await read()]).toEqual([1, ['a', 'b']]);
});

test('a transaction that is rolled back leaves neither, and no gap', async () => {
  const lost = transaction(client.database.pool, async (tx) => {
    await tx.query('INSERT INTO state VALUES (1)');
    await append(tx, 'lost');
    throw new Error('crash');
  });
  await expect(lost).rejects.toThrow('crash');
  await client.log.publish([record('t', 'k', 'next')]);
  const records = await readAll(client.log, 't');
  expect([await stored(), records.map(text), records.map(({ offset }) => offset)]).toEqual([0, ['next'], [0n]]);
});

test('a publish waits for the commit of an append before it, so that no reader passes its offset', async () => {
  const tx = await client.database.pool.connect();
  await tx.query('BEGIN');
  await append(tx, 'first');
  // On a slow machine the test takes longer than a process may hang here.
  await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  const publishing = client.log.publish([record('t', 'k', 'second')]);
  await until('the publish waits', async () => {
    const { rows } = await client.database.pool.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%log.append%'",
    );
    return rows.length > 0;
  });
  expect(await read()).toEqual([]);
  await tx.query('COMMIT');
  tx.release();
  await publishing;
  expect(await read()).toEqual(['first', 'second']);
});

test.each([
  ['UNKNOWN_TOPIC', record('none', 'k')],
  ['INVALID_RECORD', record('t', 'a\0')],
])('%s fails the transaction before it can commit', async (code, bad) => {
  const failing = transaction(client.database.pool, async (tx) => {
    await tx.query('INSERT INTO state VALUES (1)');
    await client.log.append?.(tx, [record('t', 'k', 'good'), bad]);
  });
  await expect(failing).rejects.toMatchObject({ code });
  expect([await stored(), await read()]).toEqual([0, []]);
});

test('a process that hangs between its append and its commit loses both, and its partitions are free again', async () => {
  const hung = await client.database.pool.connect();
  const ended = new Promise((resolve) => hung.once('error', resolve));
  await hung.query('BEGIN; INSERT INTO state VALUES (1)');
  await append(hung, 'lost');
  const began = performance.now();
  await client.log.publish([record('t', 'k', 'next')]);
  expect(performance.now() - began).toBeGreaterThan(settings.heldPartitionsMs / 2);
  expect(await ended).toMatchObject({ code: '25P03' });
  hung.release(true);
  expect([await stored(), await read()]).toEqual([0, ['next']]);
});
