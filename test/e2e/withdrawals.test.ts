import { setTimeout as delay } from 'node:timers/promises';
import { localKeys, verifyPermit } from '@weir/permit';
import { connectToRunning, openPool } from '@weir/postgres';
import type { Upstream } from '@weir/risk-client/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Installation } from '../support/stack/installation.ts';
import { seededRandom } from '../support/stack/random.ts';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

let running: WithUpstream;
let upstream: Upstream;
let installation: Installation;
beforeAll(async () => {
  // Within it a busy machine decides even the first withdrawal.
  running = await startWithUpstream({ WEIR_WITHDRAWAL_DEADLINE_MS: '15000' });
  ({ upstream, installation } = running);
});
afterAll(() => running.close());

interface Answer {
  readonly status: number;
  readonly body: any;
}

async function ask(method: string, path: string, body?: object, wait = 0): Promise<Answer> {
  const answer = await fetch(`${installation.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${installation.token('gate')}`,
      'content-type': 'application/json',
      prefer: `wait=${wait}`,
    },
    signal: AbortSignal.timeout(60_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

let count = 0;
/** Each has its own receiver, so that each needs a lookup. */
function aWithdrawal(): { withdrawal_id: string; coin: string; to_address: string; amount: string } {
  count += 1;
  return { withdrawal_id: `out-${count}`, coin: 'ETH', to_address: `0xcc${count.toString(16).padStart(38, '0')}`, amount: '1.50' };
}
const termsOf = (withdrawal: ReturnType<typeof aWithdrawal>) => ({
  chain: 'ethereum',
  coin: withdrawal.coin,
  to_address: withdrawal.to_address,
  amount: withdrawal.amount,
});
const post = (withdrawal: object, wait = 20): Promise<Answer> => ask('POST', '/v1/withdrawals', withdrawal, wait);
const get = (id: string): Promise<Answer> => ask('GET', `/v1/withdrawals/${id}`);

test('a withdrawal is screened while its caller waits, and leaves with a permit, once', async () => {
  const withdrawal = aWithdrawal();
  const { status, body } = await post(withdrawal);
  expect([status, body.status]).toEqual([200, 'allowed']);
  const keys = localKeys((await ask('GET', '/.well-known/jwks.json')).body);
  const expected = { withdrawal_id: withdrawal.withdrawal_id, ...termsOf(withdrawal) };
  expect(await verifyPermit(body.permit, { keys, issuer: 'weir', expected, now: Date.now() })).toMatchObject({ ok: true });
  expect((await ask('POST', '/v1/permits/redeem', { permit: body.permit, ...termsOf(withdrawal) })).status).toBe(200);
  expect((await ask('POST', '/v1/permits/redeem', { permit: body.permit, ...termsOf(withdrawal) })).status).toBe(409);
});

test('one that is blocked or held has none', async () => {
  for (const [data, status] of [
    [{ score: 100, risk_level: 'Severe' }, 'blocked'],
    [{ score: 80, risk_level: 'High' }, 'held'],
  ] as const) {
    upstream.answer(() => ({ data }));
    const { body } = await post(aWithdrawal());
    expect(body).toMatchObject({ status });
    expect(body).not.toHaveProperty('permit');
  }
  upstream.answer(() => ({}));
});

test('one that cannot be is refused with its field and a hint, and is no case for people', async () => {
  for (const [over, field, hint] of [
    [{ coin: 'USDT' }, 'coin', 'USDT-ERC20 or USDT-TRC20?'],
    [{ to_address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', coin: 'USDT-ERC20' }, 'to_address', 'USDT-TRC20?'],
    [{ amount: '0' }, 'amount', undefined],
    [{ memo: '1234' }, 'memo', 'leave it out'],
  ] as const) {
    const withdrawal = { ...aWithdrawal(), ...over };
    const { status, body } = await post(withdrawal);
    expect([status, body.field, body.hint]).toEqual([422, field, hint]);
    expect((await get(withdrawal.withdrawal_id)).status).toBe(404);
  }
});

test('while the risk API is away it is pending, then held; and allowed when a result comes', async () => {
  await upstream.away();
  const withdrawal = aWithdrawal();
  expect(await post(withdrawal, 1)).toMatchObject({ status: 202, body: { status: 'pending' } });
  const seen = new Set<string>();
  await vi.waitFor(
    async () => {
      const { body } = await get(withdrawal.withdrawal_id);
      expect(body).not.toHaveProperty('permit');
      seen.add(body.status);
      expect(body.status).toBe('held');
    },
    { timeout: 20_000, interval: 100 },
  );
  expect(seen).not.toContain('allowed');
  await upstream.back();
  await vi.waitFor(async () => expect((await get(withdrawal.withdrawal_id)).body).toMatchObject({ status: 'allowed', revision: 2 }), {
    timeout: 60_000,
    interval: 200,
  });
});

/** How long each withdrawal may take once nothing is killed any more. Past its deadline a failed lookup is tried again after 30 s. */
const carryOutMs = 180_000;

/** Everything that the gate, scoring and decision know of a withdrawal, to tell why it does not move. */
async function standingOf(id: string): Promise<string> {
  const url = connectToRunning(installation.dataDir);
  if (url === undefined) return 'the database does not run';
  const pool = openPool({ url, max: 1 });
  const tables = [
    ['gate.withdrawals', 't.withdrawal_id = $1'],
    ['gate.permits', 't.withdrawal_id = $1'],
    ['scoring.screenings', "t.request -> 'transfer' ->> 'source_id' = $1"],
    ['scoring.lookups', "t.lookup_id IN (SELECT lookup_id FROM scoring.screenings WHERE request -> 'transfer' ->> 'source_id' = $1)"],
    ['decision.screenings', "t.transfer ->> 'source_id' = $1"],
    ['decision.decided', "t.transfer ->> 'source_id' = $1"],
    [
      'log.assignments',
      '$1 <> $1 OR EXISTS (SELECT FROM log.partitions p WHERE p.topic = t.topic AND p.partition = t.partition AND p.next_offset > t.committed)',
    ],
  ] as const;
  try {
    const found = tables.map(async ([table, which]) => {
      const { rows } = await pool.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE ${which} LIMIT 20`, [id]);
      return [table, ...rows.map(({ row }) => `  ${row}`)].join('\n');
    });
    return [...(await Promise.all(found)), installation.output().slice(-5_000)].join('\n');
  } finally {
    await pool.end();
  }
}

test('killed at any moment between the request and the redeemed permit: every withdrawal is allowed, and redeemed once', async () => {
  const seed = Number(process.env['WEIR_CHAOS_SEED'] ?? 7_519);
  const random = seededRandom(seed);
  const redeemed = new Map<string, number>();
  const withdrawals: ReturnType<typeof aWithdrawal>[] = [];
  let giveUpAt = Number.POSITIVE_INFINITY;
  /** Retries until it has an answer, like a signer. */
  const carryOut = async (withdrawal: ReturnType<typeof aWithdrawal>): Promise<void> => {
    const id = withdrawal.withdrawal_id;
    for (let last: unknown; ; ) {
      if (performance.now() > giveUpAt) throw new Error(`${id} is stuck at ${JSON.stringify(last)}\n${await standingOf(id)}`);
      try {
        const { status, body } = await post(withdrawal, 5);
        last = { status, body };
        if (body.redeemed !== undefined) return;
        if (body.permit !== undefined) {
          const answer = await ask('POST', '/v1/permits/redeem', { permit: body.permit, ...termsOf(withdrawal) });
          last = answer;
          if (answer.status === 200) redeemed.set(id, (redeemed.get(id) ?? 0) + 1);
          if (answer.status === 200 || answer.status === 409) continue;
        }
      } catch (error) {
        // The process was killed or is starting.
        last = String(error);
      }
      await delay(50);
    }
  };
  let isOver = false;
  const signers = [1, 2, 3, 4, 5, 6, 7, 8].map(async () => {
    while (!isOver) {
      const withdrawal = aWithdrawal();
      withdrawals.push(withdrawal);
      await carryOut(withdrawal);
    }
  });
  const signing = Promise.all(signers);
  // It may fail before it is awaited.
  signing.catch(() => undefined);
  for (const what of ['weir', 'both', 'postgres', 'weir'] as const) {
    await delay(500 + random() * 2_000);
    await installation.kill(what);
    await installation.start();
  }
  isOver = true;
  giveUpAt = performance.now() + carryOutMs;
  await signing;
  // Each gets 200 at most once. Where none arrived, the kill lost the response.
  expect([...redeemed.values()].filter((times) => times > 1)).toEqual([]);
  process.stdout.write(`seed ${seed}: ${withdrawals.length} redeemed, ${redeemed.size} of them told 200\n`);
  for (const { withdrawal_id } of withdrawals) {
    const { body } = await get(withdrawal_id);
    expect(body).toMatchObject({ status: 'allowed', redeemed: { permit_id: expect.any(String) } });
    expect(body).not.toHaveProperty('permit');
  }
}, 600_000);
