import type { Upstream } from '@weir/risk-client/testing';
import { localKeys, verifyPermit } from '@weir/permit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Installation } from '../support/stack/installation.ts';
import { askerOf, startWithUpstream, type WithUpstream } from './with-upstream.ts';

let running: WithUpstream;
let upstream: Upstream;
let installation: Installation;
beforeAll(async () => {
  running = await startWithUpstream();
  ({ upstream, installation } = running);
});
afterAll(() => running.close());

const ask = askerOf(() => installation);
const post = (withdrawal: object) => ask('gate', 'POST', '/v1/withdrawals', withdrawal);
const redeem = (body: object) => ask('gate', 'POST', '/v1/permits/redeem', body);

/** USDT's mint as a receiver: any key of 32 bytes is an account. */
const solana = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
/** TEP-2, and its raw form. */
const ton = 'UQAs9VlT6S776tq3unJcP5Ogsj-ELLunLXuOb1EKcOQi41-E';
const rawTon = '0:2cf55953e92efbeadab7ba725c3f93a0b23f842cbba72d7b8e6f510a70e422e3';
/** ripple-address-codec, tests; the second is the first with tag 1. */
const xrp = 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59';
const tagged = 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu';
const xrpSender = 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf';

async function leaves(withdrawal: { withdrawal_id: string; amount: string; coin: string }, terms: object): Promise<string> {
  const { status, body } = await post(withdrawal);
  expect([status, body.status]).toEqual([200, 'allowed']);
  const keys = localKeys((await ask('gate', 'GET', '/.well-known/jwks.json')).body);
  const expected = { withdrawal_id: withdrawal.withdrawal_id, coin: withdrawal.coin, amount: withdrawal.amount, ...terms } as never;
  expect(await verifyPermit(body.permit, { keys, issuer: 'weir', expected, now: Date.now() })).toMatchObject({ ok: true });
  return body.permit as string;
}

test('a withdrawal in SOL leaves, and has no memo', async () => {
  const sol = { withdrawal_id: 'sol-1', coin: 'SOL', to_address: solana, amount: '0.000000001' };
  const terms = { chain: 'solana', coin: 'SOL', to_address: solana, amount: '0.000000001' };
  const permit = await leaves(sol, terms);
  expect(upstream.creates.map(({ subject }) => subject)).toContain(solana);
  expect(await redeem({ permit, ...terms, memo: '1' })).toMatchObject({ status: 422, body: { code: 'MISMATCH', field: 'memo' } });
  expect((await redeem({ permit, ...terms })).status).toBe(200);
  expect((await redeem({ permit, ...terms })).status).toBe(409);
  const refused = await post({ ...sol, withdrawal_id: 'sol-2', memo: 'x' });
  expect(refused).toMatchObject({ status: 422, body: { field: 'memo', hint: 'leave it out' } });
});

test('a TON transfer with a comment leaves with that comment only', async () => {
  const terms = { chain: 'ton', coin: 'TON', to_address: ton, amount: '2.5', memo: 'account 7' };
  const permit = await leaves(
    { withdrawal_id: 'ton-1', coin: 'TON', to_address: rawTon, amount: '2.50', memo: 'account 7' } as never,
    terms,
  );
  for (const memo of ['account 8', 'Account 7', '', null, undefined]) {
    expect(await redeem({ permit, ...terms, memo })).toMatchObject({ status: 422, body: { code: 'MISMATCH', field: 'memo' } });
  }
  expect((await redeem({ permit, ...terms, to_address: rawTon })).status).toBe(200);
  const again = { withdrawal_id: 'ton-1', coin: 'TON', to_address: ton, amount: '2.5' };
  expect((await post(again)).status).toBe(409);
  expect((await post({ ...again, memo: 'account 7' })).status).toBe(200);
});

test('a memo that cannot be is 422 with its field, and nobody has asked', async () => {
  const base = { withdrawal_id: 'no-1', coin: 'XRP', to_address: xrp, amount: '1' };
  for (const over of [
    { memo: 'invoice' },
    { memo: '4294967296' },
    { memo: '1\n' },
    { memo: '2', to_address: tagged },
    { memo: 'x'.repeat(2_000) },
  ]) {
    expect(await post({ ...base, ...over })).toMatchObject({ status: 422, body: { field: 'memo' } });
  }
});

test('an X-address is its account and its tag, in the request and in the redemption', async () => {
  const terms = { chain: 'ripple', coin: 'XRP', to_address: xrp, amount: '1', memo: '1' };
  const permit = await leaves({ withdrawal_id: 'xrp-1', coin: 'XRP', to_address: tagged, amount: '1' } as never, terms);
  const other = { permit, ...terms, to_address: tagged, memo: '2' };
  expect(await redeem(other)).toMatchObject({ status: 422, body: { code: 'MISMATCH', field: 'memo' } });
  expect((await redeem({ permit, ...terms, to_address: tagged, memo: undefined })).status).toBe(200);
});

test('a deposit in XRP with a tag is screened and read with it; one with a tag that cannot be is held', async () => {
  const deposit = { coin: 'xrp', from_address: xrpSender, to_address: xrp, amount: '25.000001', usd_value: '50' };
  const settled = async (over: { deposit_id: string; memo: string }, status: string) => {
    const { body } = await ask('ingest', 'POST', '/v1/deposits', { ...deposit, ...over });
    return vi.waitFor(
      async () => {
        const { body: seen } = await ask('auditor', 'GET', `/v1/screenings/${body.screening_id}`);
        expect(seen).toMatchObject({ status });
        return seen;
      },
      { timeout: 20_000, interval: 100 },
    );
  };
  const seen = await settled({ deposit_id: 'xrp-in', memo: '77' }, 'allowed');
  expect(seen.transfer).toMatchObject({ chain: 'ripple', coin: 'XRP', to_address: xrp, memo: '77' });
  const held = await settled({ deposit_id: 'xrp-odd', memo: 'line\nbreak' }, 'held');
  expect(held).toMatchObject({ transfer: { memo: 'line\nbreak' }, decisions: [{ reason_codes: ['INVALID_TRANSFER'] }] });
});
