import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localKeys, verifyPermit } from '@weir/permit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import type { Installation } from '../support/stack/installation.ts';
import { askerOf, startWithUpstream, type WithUpstream } from './with-upstream.ts';

let running: WithUpstream;
let installation: Installation;
beforeAll(async () => {
  running = await startWithUpstream();
  ({ installation } = running);
});
afterAll(() => running.close());

const ask = askerOf(() => installation);
const coins = (...args: string[]) => weir(['coins', ...args, '--data-dir', installation.dataDir]);
const patient = { timeout: 20_000, interval: 100 };

const contract = '0xfAbA6f8e4a5E8Ab82F62fe7C39859FA577269BE3';
const exchange = '0x28C6c06298d514Db089934071355E5743bf21d60';
const withdrawal = { withdrawal_id: 'ondo-1', coin: 'ondo-erc20', to_address: exchange, amount: '1.000000000000000001', usd_value: '20' };
const terms = { chain: 'ethereum', coin: 'ONDO-ERC20', to_address: exchange, amount: '1.000000000000000001' };

test('a token added to a running installation goes the whole way, and no longer once it is removed', async () => {
  const before = await ask('gate', 'POST', '/v1/withdrawals', withdrawal);
  expect(before).toMatchObject({ status: 422, body: { code: 'UNSUPPORTED_COIN', field: 'coin' } });

  const file = join(installation.dataDir, 'tokens.csv');
  writeFileSync(
    file,
    `symbol,chain,contract,decimals\nONDO,ERC20,${contract},18\nJUP,solana,JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN,6\n`,
  );
  expect(await coins('add', '--file', file)).toMatchObject({ code: 0, stdout: 'ONDO-ERC20\nJUP-SOLANA\n' });

  const allowed = await vi.waitFor(async () => {
    const answer = await ask('gate', 'POST', '/v1/withdrawals', withdrawal);
    expect(answer).toMatchObject({ status: 200, body: { status: 'allowed' } });
    return answer.body;
  }, patient);
  const keys = localKeys((await ask('gate', 'GET', '/.well-known/jwks.json')).body);
  const expected = { withdrawal_id: 'ondo-1', ...terms } as never;
  expect(await verifyPermit(allowed.permit, { keys, issuer: 'weir', expected, now: Date.now() })).toMatchObject({ ok: true });
  expect((await ask('gate', 'POST', '/v1/permits/redeem', { permit: allowed.permit, ...terms })).status).toBe(200);
  expect((await ask('gate', 'POST', '/v1/permits/redeem', { permit: allowed.permit, ...terms })).status).toBe(409);

  const misspelt = await ask('gate', 'POST', '/v1/withdrawals', { ...withdrawal, withdrawal_id: 'ondo-2', coin: 'ONDO-ERC2O' });
  expect(misspelt).toMatchObject({ status: 422, body: { field: 'coin', hint: 'ONDO-ERC20?' } });
  const near = await ask('ingest', 'POST', '/v1/deposits', {
    deposit_id: 'near',
    coin: 'ONDO-ERC2O',
    from_address: exchange,
    to_address: exchange,
    amount: '1',
  });
  expect(near).toMatchObject({ status: 202, body: { hint: 'ONDO-ERC20?' } });
  const fine = await ask('gate', 'POST', '/v1/withdrawals', { ...withdrawal, withdrawal_id: 'ondo-3', amount: '1.0000000000000000001' });
  expect(fine).toMatchObject({ status: 422, body: { field: 'amount' } });

  const deposit = {
    deposit_id: 'ondo-in',
    coin: 'ONDO',
    chain: 'ethereum',
    from_address: exchange,
    to_address: exchange,
    amount: '3',
    usd_value: '60',
  };
  const { body } = await ask('ingest', 'POST', '/v1/deposits', deposit);
  await vi.waitFor(async () => {
    const seen = await ask('auditor', 'GET', `/v1/screenings/${body.screening_id}`);
    expect(seen.body).toMatchObject({ status: 'allowed', transfer: { coin: 'ONDO-ERC20', chain: 'ethereum' } });
  }, patient);
  const status = (await (await fetch(`${installation.riskUrl}/v1/status`)).json()) as { data: { support_coin: string[] } };
  expect(status.data.support_coin).toEqual(expect.arrayContaining(['ONDO-ERC20', 'JUP-SOLANA']));

  expect((await coins('list', '--added')).stdout).toContain(contract);
  expect((await coins('remove', 'ONDO-ERC20', '--yes')).code).toBe(0);
  await vi.waitFor(async () => {
    const answer = await ask('gate', 'POST', '/v1/withdrawals', { ...withdrawal, withdrawal_id: 'ondo-4' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'UNSUPPORTED_COIN' } });
  }, patient);
});

test('a token that cannot be is refused with its line, and none of the file is added', async () => {
  const file = join(installation.dataDir, 'wrong.csv');
  writeFileSync(file, `symbol,chain,contract,decimals\nONDO,ERC20,${contract},18\nUSDT,ethereum,${contract},18\n`);
  const { code, stderr } = await coins('add', '--file', file);
  expect([code, stderr]).toEqual([1, expect.stringContaining('line 3: ')]);
  expect((await coins('list', '--added', '--json')).stdout).not.toContain('ONDO-ERC20');
  expect((await coins('add', 'ONDO', '--chain', 'ethereum')).code).toBe(2);
  expect((await coins('remove', 'USDT-ERC20', '--yes')).code).toBe(1);
});
