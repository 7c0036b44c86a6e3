import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HDKey } from '@scure/bip32';
import { systemClock } from '@weir/clock';
import { migrateDatabase } from '@weir/installation/services';
import { openPool, type Pool } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { createLogger } from '@weir/service-kit';
import { HDKey as ViemKey, hdKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, makeFolder, weir } from '../testing/weir.ts';

const folder = makeFolder();
let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateDatabase(database.url, { clock: systemClock, logger: createLogger({ service: 'test', level: 'silent' }) });
  pool = openPool({ url: database.url });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  folder.remove();
});

const watch = (...args: string[]): Promise<Ended> => weir(['watch', ...args], { env: { DATABASE_URL: database.url } });
const listed = async (...args: string[]): Promise<{ address: string; [field: string]: unknown }[]> =>
  JSON.parse((await watch('list', '--json', ...args)).stdout);
const file = (text: string): string => {
  const path = join(folder.path, 'addresses.csv');
  writeFileSync(path, text);
  return path;
};
const publicKey = HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey;
const [first, second] = ['0x28c6c06298d514db089934071355e5743bf21d60', '0x21a31ee1afc51d94c2efccaa2092ad1028285549'];

test('addresses are added once, listed and removed', async () => {
  const since = '2026-01-01T00:00:00.000Z';
  const add = ['add', '0x28C6c06298d514Db089934071355E5743bf21d60', '--chain', 'ETH', '--since', since, '--json'];
  expect(JSON.parse((await watch(...add)).stdout)).toEqual({ chain: 'ethereum', given: 1, added: 1 });
  expect(JSON.parse((await watch(...add, '--user', 'u-1')).stdout)).toEqual({ chain: 'ethereum', given: 1, added: 0 });
  expect(await listed()).toEqual([{ chain: 'ethereum', address: first, user_id: 'u-1', since }]);
  const csv = file(`address,user_id\n${second},u-2\n${first},\n`);
  expect((await watch('add', '--chain', 'ethereum', '--file', csv)).code).toBe(0);
  expect(await listed('--chain', 'ethereum')).toEqual([
    { chain: 'ethereum', address: second, user_id: 'u-2', since: expect.any(String) },
    { chain: 'ethereum', address: first, user_id: 'u-1', since },
  ]);
  expect(await listed('--chain', 'base')).toEqual([]);
  expect((await watch('list')).stdout).toContain('ethereum\t0x28C6c06298d514Db089934071355E5743bf21d60\tu-1\t');
  expect(await watch('remove', second, first, '--chain', 'ethereum')).toMatchObject({ code: 0 });
  expect(await watch('remove', second, '--chain', 'ethereum')).toMatchObject({ code: 1, stderr: expect.stringContaining('0 of 1') });
  expect(await listed()).toEqual([]);
});

test('payments without a permit are listed, and with --all those with one', async () => {
  const paid = (txid: string, withdrawal: string | null) =>
    pool.query(
      `INSERT INTO chain.watched_payments (chain, txid, position, from_address, to_address, coin, amount, at, withdrawal_id)
       VALUES ('ethereum', $1, 3, $2, $3, 'ETH', 1.50, '2026-01-01', $4)`,
      [txid, first, second, withdrawal],
    );
  await paid('0xaa', null);
  await paid('0xbb', 'w-1');
  const payments = async (...args: string[]) => {
    const ended = await watch('payments', '--json', ...args);
    return JSON.parse(ended.stdout || JSON.stringify(ended.stderr));
  };
  const unmatched = {
    chain: 'ethereum',
    txid: '0xaa',
    position: 3,
    from_addresses: [first],
    to_address: second,
    coin: 'ETH',
    amount: '1.5',
    at: '2026-01-01T00:00:00.000Z',
    withdrawal_id: null,
  };
  expect(await payments()).toEqual([unmatched]);
  expect(await payments('--all', '--chain', 'eth')).toEqual([unmatched, { ...unmatched, txid: '0xbb', withdrawal_id: 'w-1' }]);
  expect([await payments('--chain', 'base'), await payments('--all', '--limit', '1')]).toEqual([[], [unmatched]]);
  expect((await watch('payments')).stdout).toBe(
    `2026-01-01T00:00:00.000Z\tethereum\t0xaa\t3\t0x28C6c06298d514Db089934071355E5743bf21d60\t0x21a31Ee1afC51d94C2eFcCAa2092aD1028285549\t1.5\tETH\t-\n`,
  );
});

test('a file with one wrong line adds nothing, and says which line', async () => {
  const wrong = await watch('add', '--chain', 'ethereum', '--file', file(`address\n${first}\n0x12\n`));
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('line 3: 0x12 is no address of ethereum') });
  expect(await listed()).toEqual([]);
});

test.each([
  [['add', '--chain', 'ethereum'], 'name addresses, --file or --xpub'],
  [['add', first, '--chain', 'nowhere'], 'nowhere is no known chain'],
  [['add', first, '--chain', 'ethereum', '--file', 'x.csv'], 'do not go with --file'],
  [['add', '--chain', 'ethereum', '--xpub', 'key'], 'the key must be an xpub, ypub or zpub'],
  [['add', '--chain', 'base', '--xpub', 'xpub123'], 'the extended public key is not valid'],
  [['add', first, '--chain', 'ethereum', '--user', 'x'.repeat(257)], 'the id of a customer must be 1 to 256 printable characters'],
  [['add', '--chain', 'solana', '--xpub', publicKey], 'addresses of solana cannot be derived'],
  [['add', '--chain', 'bitcoin', '--xpub', publicKey], 'give --script'],
])('%j is wrong usage', async (args, reason) => {
  expect(await watch(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
});

test('an extended public key gives the addresses of its account, and a private one is refused', async () => {
  const seed = randomBytes(32);
  const [master, viemKey] = [HDKey.fromMasterSeed(seed), ViemKey.fromMasterSeed(seed)];
  const account = master.derive("m/44'/60'/0'");
  const addressAt = (addressIndex: number) => hdKeyToAccount(viemKey, { addressIndex });
  const add = ['add', '--chain', 'base', '--first', '1', '--count', '3', '--xpub'];
  expect(await watch(...add, account.publicExtendedKey)).toMatchObject({ code: 0 });
  const expected = [1, 2, 3].map((index) => addressAt(index).address.toLowerCase());
  expect((await listed()).map(({ address }) => address)).toEqual(expected.toSorted());
  const refused = await watch(...add, account.privateExtendedKey);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('a private key must not be given') });
  expect(refused.stderr).not.toContain(account.privateExtendedKey);
});
