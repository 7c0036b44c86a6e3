import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addTokens, coinMigrations, coinModule } from '@weir/coin-store';
import { migrate } from '@weir/postgres';
import { createTestDatabase } from '@weir/postgres/testing';
import { simulateChainalysis, simulateElliptic, simulateSpecified, type SimulatedApi } from '@weir/risk-provider/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, expect, test } from 'vitest';
import { makeFolder, weir } from '../testing/weir.ts';

const address = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const receiver = '0x28C6c06298d514Db089934071355E5743bf21d60';
const txid = `0x${'ab'.repeat(32)}`;
const apiKey = 'key-of-a-provider';
const apiSecret = 'c2VjcmV0';
const folder = makeFolder();
let api: SimulatedApi;

afterEach(() => api.close());
afterAll(() => folder.remove());

const settings = (provider: string): NodeJS.ProcessEnv => ({
  WEIR_PROVIDER: provider,
  WEIR_UPSTREAM_URL: api.url,
  WEIR_UPSTREAM_API_KEY: apiKey,
  WEIR_UPSTREAM_API_SECRET: apiSecret,
  WEIR_UPSTREAM_POLL_MS: '20',
  WEIR_DATA_DIR: join(folder.path, 'nowhere'),
});
const bodies = (): unknown[] => api.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

test('Chainalysis is asked about a withdrawal with its amount, and its answer is shown', async () => {
  api = await simulateChainalysis({ apiKey });
  api.answer(() => ({ level: 'High', riskType: 'mixer', polls: 1 }));
  const { code, stdout } = await weir(['screen', 'USDT-ERC20', address, '--kind', 'withdrawal', '--amount', '2.5', '--json'], {
    env: settings('chainalysis'),
  });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    outcome: 'SCORED',
    risk_level: 'High',
    action: 'review',
    provider: new URL(api.url).host,
  });
  expect(bodies()).toMatchObject([{ network: 'Ethereum', asset: 'USDT', address: address.toLowerCase(), assetAmount: 2.5 }]);
});

test('a provider that needs more about the question names the option, and nothing is sent', async () => {
  api = await simulateChainalysis({ apiKey });
  const env = settings('chainalysis');
  const withdrawal = await weir(['screen', 'ETH', address, '--kind', 'withdrawal'], { env });
  expect({ code: withdrawal.code, said: withdrawal.stderr }).toEqual({ code: 1, said: expect.stringContaining('--amount') });
  const transaction = await weir(['screen', 'ETH', txid], { env });
  expect({ code: transaction.code, said: transaction.stderr }).toEqual({ code: 1, said: expect.stringContaining('--to-address') });
  expect(api.received).toEqual([]);
});

test('Elliptic is asked about each row of a file, a transaction with its receiver', async () => {
  api = await simulateElliptic({ apiKey, apiSecret });
  api.answer((subject) => (subject === txid ? { level: 'Severe', riskType: 'sanctioned_entity' } : { level: 'Low' }));
  const file = join(folder.path, 'elliptic.csv');
  writeFileSync(file, `coin,address,txid,to_address\nETH,${address},,\nETH,,${txid},${receiver}\nETH,,${txid},\nETH,,${txid},0x12\n`);
  const { code, stdout, stderr } = await weir(['screen', file], { env: settings('elliptic') });
  expect(code).toBe(1);
  const rows = parse(stdout, { columns: true }) as unknown as Record<string, string>[];
  expect(rows.map(({ outcome, risk_level, to_address }) => [outcome, risk_level, to_address])).toEqual([
    ['SCORED', 'Low', ''],
    ['SCORED', 'Severe', receiver],
    ['INVALID', '', ''],
    ['INVALID', '', '0x12'],
  ]);
  expect(stderr).toContain('line 5: the receiver "0x12" is no address of ethereum');
  // The default of ten in a second is above what Elliptic allows.
  expect(stderr).toContain('WEIR_UPSTREAM_PER_SECOND is 10; the plan standard of elliptic allows 8, so 8 holds');
  expect(bodies()).toHaveLength(2);
});

test('MistTrack gets the coin in its spelling', async () => {
  api = await simulateSpecified({ apiKey });
  const { code } = await weir(['screen', 'usdt-polygon', address], { env: settings('misttrack') });
  expect({ code, bodies: bodies() }).toMatchObject({ code: 0, bodies: [{ coin: 'USDT-Polygon' }] });
});

test('paying needs an API of the specified shape', async () => {
  api = await simulateChainalysis({ apiKey });
  const { code, stderr } = await weir(['screen', 'ETH', address, '--pay', '--max-usdc', '1'], { env: settings('chainalysis') });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('WEIR_PAY_URL') });
  expect(api.received).toEqual([]);
});

test('a coin that was added to the installation is known, also in a file', async () => {
  api = await simulateSpecified({ apiKey });
  const database = await createTestDatabase();
  try {
    const env = { ...settings('specified'), DATABASE_URL: database.url };
    const before = await weir(['screen', 'ondo-erc20', address], { env });
    expect({ code: before.code, stderr: before.stderr }).toEqual({ code: 2, stderr: expect.stringContaining('"ondo-erc20" is not known') });
    await migrate(database.pool, coinModule, coinMigrations);
    await addTokens(database.pool, [
      { symbol: 'ONDO', chain: 'ethereum', contract: '0xfAbA6f8e4a5E8Ab82F62fe7C39859FA577269BE3', decimals: 18 },
    ]);
    const after = await weir(['screen', 'ondo-erc20', address, '--json'], { env });
    expect({ code: after.code, ...JSON.parse(after.stdout) }).toMatchObject({ code: 0, coin: 'ONDO-ERC20', outcome: 'SCORED' });
    const file = join(folder.path, 'added.csv');
    writeFileSync(file, `coin,address\nENS-ERC20,${address}\n`);
    expect(await weir(['screen', file], { env })).toMatchObject({ code: 0, stderr: expect.stringContaining('1 asked.') });
  } finally {
    await database.drop();
  }
});
