import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { weir } from '../testing/weir.ts';

let database: TestDatabase;
const run = (...args: string[]) => weir(['payments', ...args], { env: { ...env(), WEIR_LOG_LEVEL: 'error' } });
const env = () => ({
  DATABASE_URL: database.url,
  WEIR_X402_PAY_TO_EVM: '0x00000000000000000000000000000000000000aa',
  // Nothing listens there.
  WEIR_X402_FACILITATOR_URL: 'http://127.0.0.1:9',
});

beforeAll(async () => {
  database = await createTestDatabase();
  expect((await run('list', '--json')).stdout).toContain('"items": []');
  await database.pool.query(
    `INSERT INTO risk.payments (id, created_at, network, payer, authorization_key, signed_sha256, payment, requirements, operation, resource, request_sha256,
       amount, asset, pay_to, state, reason, transaction, settled_at, answer)
     SELECT gen_random_uuid(), '2031-01-01Z'::timestamptz + n * interval '1 minute', 'eip155:8453', '0xpayer', n::text, '', '{}', '{"network": "eip155:8453"}',
       'x402_risk_score', '/x402/risk_score?coin=ETH', '', 1000000, 'usdc', '0xaa', CASE n WHEN 3 THEN 'unknown' ELSE 'settled' END,
       CASE n WHEN 3 THEN 'no_answer' END, CASE n WHEN 3 THEN NULL ELSE '0x' || n END, CASE n WHEN 3 THEN NULL ELSE now() END, '{}' FROM generate_series(1, 3) n`,
  );
});
afterAll(() => database.drop());

// Each command is a process.
describe('the list', () => {
  test('is newest first, page by page', async () => {
    const first = JSON.parse((await run('list', '--json', '--limit', '2')).stdout);
    expect(first.items.map(({ state, transaction }: { state: string; transaction: string }) => [state, transaction])).toEqual([
      ['unknown', null],
      ['settled', '0x2'],
    ]);
    expect(first.items[0]).toMatchObject({
      amount: '1',
      network: 'eip155:8453',
      operation: 'risk_score',
      reason: 'no_answer',
      payer: '0xpayer',
    });
    const rest = JSON.parse((await run('list', '--json', '--limit', '2', '--cursor', first.next_cursor)).stdout);
    expect([rest.items.length, rest.items[0].transaction, rest.next_cursor]).toEqual([1, '0x1', null]);
    expect(await run('list', '--cursor', 'x')).toMatchObject({ code: 2, stdout: '' });
  });

  test('can be of one state, and since a time, and for people', async () => {
    expect(JSON.parse((await run('list', '--json', '--state', 'settled', '--since', '2031-01-01T00:02:00Z')).stdout).items).toHaveLength(1);
    const { stdout } = await run('list', '--state', 'unknown');
    expect(stdout).toMatch(/^TIME +STATE +USDC.*\n2031-01-01T00:03:00Z +unknown \(no_answer\) +1 +risk_score +base +0xpayer\n$/);
  });
});

describe('reconcile', () => {
  test('ends with 1 while an outcome is unknown, and settles nothing by itself', async () => {
    const { code, stdout } = await run('reconcile', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([1, { settled: 0, refused: 0, open: 1 }]);
    expect(JSON.parse((await run('list', '--json', '--state', 'unknown')).stdout).items).toHaveLength(1);
  });

  test('ends with 1 also while somebody else is at the unknown one', async () => {
    const hold = (until: string) => database.pool.query(`UPDATE risk.payments SET lease_until = ${until} WHERE state = 'unknown'`);
    await hold(`now() + interval '1 hour'`);
    const { code, stdout } = await run('reconcile', '--json');
    await hold('now()');
    expect([code, JSON.parse(stdout)]).toEqual([1, { settled: 0, refused: 0, open: 1 }]);
  });

  test('says what is missing where nothing is set', async () => {
    const { code, stderr } = await weir(['payments', 'reconcile'], { env: { DATABASE_URL: database.url } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('WEIR_X402_PAY_TO_EVM')]);
  });
});
