import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalLists } from './local-lists.ts';
import { createChainSchema, putLabel, putTransfer, type TestLabel } from '../testing.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const now = Date.UTC(2026, 5, 1);
const day = 86_400_000;
const evm = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const ethereum = (address: string) => ({ chain: 'ethereum', address });

async function listed(...asked: readonly { chain: string; address: string }[]): Promise<boolean[]> {
  return (await new LocalLists().find(db.pool, asked, now)).map((listings) => listings.length > 0);
}

test('where nothing was ever imported nothing is listed, and what is imported later is seen at once', async () => {
  const lists = new LocalLists();
  expect(await lists.find(db.pool, [ethereum(evm)], now)).toEqual([[]]);
  await createChainSchema(db.pool);
  await putLabel(db.pool, { address: evm });
  expect(await lists.find(db.pool, [ethereum(evm)], now)).toEqual([[{ name: 'Somebody', source: 'a list' }]]);
});

test('that the lists cannot be read is a failure, not an answer', async () => {
  await createChainSchema(db.pool);
  const lists = new LocalLists();
  expect(await lists.find(db.pool, [ethereum(evm)], now)).toEqual([[]]);
  await db.pool.query('DROP SCHEMA chain CASCADE');
  await expect(lists.find(db.pool, [ethereum(evm)], now)).rejects.toMatchObject({ code: '42P01' });
});

test('addresses are found in the order asked, by each list that names them, in any case that is the same address, and on every chain of its keys', async () => {
  await createChainSchema(db.pool);
  await putLabel(db.pool, { address: evm });
  await putLabel(db.pool, { address: evm, source: 'b list', category: 'sanctions' });
  await putLabel(db.pool, { chain: 'tron', address: tron });
  const found = await new LocalLists().find(
    db.pool,
    [
      ethereum(`0x${'1'.repeat(40)}`),
      ethereum('0x098B716B8Aaf21512996dC57EB0615e2383E2f96'),
      // The checksum is wrong, but the 20 bytes are the same.
      ethereum('0x098b716B8Aaf21512996dC57EB0615e2383E2f96'),
      { chain: 'tron', address: tron },
      { chain: 'tron', address: tron.toLowerCase() },
      { chain: 'base', address: evm },
      { chain: 'bitcoin', address: evm },
      { chain: 'nowhere', address: evm },
      { chain: '', address: '' },
    ],
    now,
  );
  expect(found.map((listings) => listings.map(({ source }) => source))).toEqual([
    [],
    ['a list', 'b list'],
    ['a list', 'b list'],
    ['a list'],
    [],
    ['a list', 'b list'],
    [],
    [],
    [],
  ]);
});

test.each<[string, Partial<TestLabel>, boolean]>([
  ['an alias of the category', { category: 'Sanctions' }, true],
  ['another category', { category: 'terrorism' }, false],
  ['an unknown category', { category: 'sanctioned?' }, false],
  ['half sure', { confidence: 0.5 }, true],
  ['a suspicion', { confidence: 0.49 }, false],
  ['valid from now', { valid_from: new Date(now) }, true],
  ['valid from later', { valid_from: new Date(now + 1) }, false],
  ['valid until later', { valid_from: new Date(now - day), valid_to: new Date(now + 1) }, true],
  ['valid until now', { valid_to: new Date(now) }, false],
])('%s', async (_, label, is) => {
  await createChainSchema(db.pool);
  await putLabel(db.pool, { address: evm, ...label });
  expect(await listed(ethereum(evm))).toEqual([is]);
});

test('the zero address is nobody', async () => {
  await createChainSchema(db.pool);
  await putLabel(db.pool, { address: `0x${'0'.repeat(40)}` });
  expect(await listed(ethereum(`0x${'0'.repeat(40)}`))).toEqual([false]);
});

test('a list that names an EVM address on one chain or on several lists it once on every other', async () => {
  await createChainSchema(db.pool);
  for (const chain of ['bsc', 'polygon']) await putLabel(db.pool, { chain, address: evm });
  const found = await new LocalLists().find(db.pool, [ethereum(evm), { chain: 'avalanche', address: evm }], now);
  expect(found).toEqual([[{ name: 'Somebody', source: 'a list' }], [{ name: 'Somebody', source: 'a list' }]]);
});

test('the senders of a transaction are those who paid the receiver, or all where it is not known, and nobody before it is imported', async () => {
  const [txid, other] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`];
  const [payer, stranger, us] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`, `0x${'3'.repeat(40)}`];
  const asked = (receiver: string | null, of = txid) => [{ chain: 'ethereum', txid: of, receiver }];
  const senders = async (...of: Parameters<typeof asked>) =>
    (await new LocalLists().sendersOf(db.pool, asked(...of))).map((found) => found.map(({ address }) => address));
  expect(await senders(us)).toEqual([[]]);
  await createChainSchema(db.pool);
  expect(await senders(us)).toEqual([[]]);
  await putTransfer(db.pool, { txid, from: payer, to: us });
  await putTransfer(db.pool, { txid, from: stranger, to: payer });
  expect(await senders(us.toUpperCase().replace('0X', '0x'))).toEqual([[payer]]);
  expect(await senders(null, txid.toUpperCase().replace('0X', '0x'))).toEqual([[payer, stranger]]);
  expect(await senders(us, other)).toEqual([[]]);
});
