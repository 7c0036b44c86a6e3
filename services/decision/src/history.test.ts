import { performance } from 'node:perf_hooks';
import { systemClock } from '@weir/clock';
import type { Kind, Transfer } from '@weir/contracts';
import { parsePolicy, readPolicy } from '@weir/policy';
import { caughtUp, openTestStack, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { activatePolicy, shadowPolicy, startDecision } from './index.ts';
import { backtest } from './backtest.ts';
import { historyOf, windowsOf } from './history.ts';
import { requested, scored } from '@weir/contracts/testing';
import { decisionRole } from './role.testing.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
});
afterEach(() => stack.close());

const windows = `history:
  user_day: { of: user, kind: withdrawal, window: 24h }
  pair_week: { of: user_counterparty, window: 7d }
`;
const text = `${readPolicy()}${windows}rules:
  - { name: many, when: history.user_day.count > 3, action: review }
  - { name: much, when: history.pair_week.usd > decimal("1000.000000000000000001"), action: block }
`;
const start = () =>
  stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }), { role: decisionRole });
const noon = Date.UTC(2026, 5, 1, 12);
const hour = 3_600_000;

/** Received when it occurred, unless `receivedAt` is given. */
function result(id: string, over: Partial<Transfer>, kind: Kind = 'withdrawal', sequence = 1, receivedAt?: number) {
  const base = requested(id, { kind });
  const transfer: Transfer = { ...base.transfer, user_id: 'u-1', usd_value: '100', occurred_at: noon, ...over };
  return scored(id, 1, sequence, { kind, screening_id: base.screening_id, transfer, requested_at: receivedAt ?? transfer.occurred_at });
}

async function decided({ pipeline }: TestService, id: string) {
  await caughtUp(pipeline, 'decision');
  const events = await readTopic(pipeline, 'screenings.decided');
  return events.map(({ data }) => data).findLast(({ transfer }) => transfer.source_id === id);
}

test('counts and sums of the user, and with the counterparty, by the time of receipt and exactly', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const value = { usd_value: '500.000000000000000001' };
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    result('before', { occurred_at: noon - 24 * hour }),
    result('first', { occurred_at: noon - 23 * hour, ...value }),
    result('elsewhere', { occurred_at: noon - 2 * hour, to_address: '0x01' }),
    result('other-user', { user_id: 'u-2' }),
    result('deposit', { occurred_at: noon - hour, usd_value: '0.5' }, 'deposit'),
    result('much-later', { occurred_at: noon + hour }),
  );
  await caughtUp(decision.pipeline, 'decision');
  await publishTo(decision.pipeline, 'screenings.scored', result('now', value));
  const { history, ...made } = (await decided(decision, 'now')) ?? {};
  expect(history).toEqual([
    { of: 'user', kind: 'withdrawal', window_ms: 24 * hour, count: 3, known_usd: '1100.000000000000000002', unknown_count: 0 },
    // before, first, deposit and now: seven days reach further than one.
    { of: 'user_counterparty', kind: null, window_ms: 7 * 24 * hour, count: 4, known_usd: '1100.500000000000000002', unknown_count: 0 },
  ]);
  expect(made).toMatchObject({ action: 'block', rule: 'rules.much', reason_codes: ['RULE:much', 'LEVEL_LOW'] });
  expect(await decided(decision, 'other-user')).toMatchObject({ action: 'allow', history: [{ count: 1 }, { count: 1 }] });
});

test.each([
  ['declared too low', '1', '700.5', '1401'],
  ['not declared', null, '700.5', '1401'],
  ['declared higher', '800', '700.5', '1600'],
  ['at a price that is too old', '1', null, '2'],
])('sums count the known value of transfers: %s', async (_, usd_value, price, known_usd) => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const priced = { known_usd_price: '700.5', price_day: price === null ? '2026-05-01' : '2026-06-01' };
  for (const id of ['first', 'second']) {
    const scoredOne = result(id, { usd_value });
    await publishTo(decision.pipeline, 'screenings.requested', {
      ...requested(id, { kind: 'withdrawal' }),
      transfer: scoredOne.transfer,
      requested_at: noon,
    });
    await caughtUp(decision.pipeline, 'decision');
    await publishTo(decision.pipeline, 'screenings.scored', { ...scoredOne, ...priced });
    await caughtUp(decision.pipeline, 'decision');
  }
  expect(await decided(decision, 'second')).toMatchObject({
    history: [
      { known_usd, unknown_count: 0 },
      { known_usd, unknown_count: 0 },
    ],
  });
});

test('a declared value whose price is unanswered is unknown to the sums, until a result has an answer', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const { pipeline } = decision;
  const priced = { known_usd_price: '700.5', price_day: '2026-06-01' };
  const unanswered = { ...result('first', { usd_value: '1' }), reasons: ['PRICE_UNAVAILABLE'] };
  const steps = [
    { of: unanswered, known_usd: '100', unknown_count: 1 },
    { of: { ...unanswered, attempt: 2, reasons: [], ...priced }, known_usd: '900.5', unknown_count: 0 },
    // A later failure takes no known value away.
    { of: { ...unanswered, attempt: 3 }, known_usd: '1000.5', unknown_count: 0 },
  ];
  for (const [n, { of, ...expected }] of steps.entries()) {
    await publishTo(pipeline, 'screenings.scored', of);
    await caughtUp(pipeline, 'decision');
    await publishTo(pipeline, 'screenings.scored', result(`next-${n}`, {}));
    expect(await decided(decision, `next-${n}`)).toMatchObject({ history: [{}, expected] });
  }
});

test('the larger declared value counts again once the risk API answers about the price', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const { pipeline } = decision;
  for (const [id, answer] of [
    ['no-price', {}],
    ['lower', { known_usd_price: '700.5', price_day: '2026-06-01' }],
  ] as const) {
    const unanswered = { ...result(id, { usd_value: '800', user_id: id }), reasons: ['PRICE_UNAVAILABLE'] };
    await publishTo(pipeline, 'screenings.scored', unanswered);
    await caughtUp(pipeline, 'decision');
    await publishTo(pipeline, 'screenings.scored', { ...unanswered, attempt: 2, reasons: [], ...answer });
    await caughtUp(pipeline, 'decision');
    await publishTo(pipeline, 'screenings.scored', result(`after-${id}`, { user_id: id }));
    expect(await decided(decision, `after-${id}`)).toMatchObject({ history: [{}, { known_usd: '900', unknown_count: 0 }] });
  }
});

test('the declared value of a transfer that is held at the deadline is unknown to the sums', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const { transfer } = result('late', { usd_value: '1' });
  const request = requested('late', { kind: 'withdrawal', transfer, requested_at: noon, deadline_at: Date.now() - 1 });
  await publishTo(decision.pipeline, 'screenings.requested', request);
  await vi.waitFor(async () => expect(await decided(decision, 'late')).toMatchObject({ action: 'review' }), { timeout: 10_000 });
  await publishTo(decision.pipeline, 'screenings.scored', result('next', {}));
  expect(await decided(decision, 'next')).toMatchObject({ action: 'review', history: [{}, { known_usd: '100', unknown_count: 1 }] });
});

test('backdated withdrawals do not pass a daily limit, nor do postdated ones', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const days = [-30, -2, 2, 300];
  for (const [n, day] of days.entries()) {
    const backdated = result(`w-${n}`, { occurred_at: noon + day * 24 * hour }, 'withdrawal', 1, noon + n * 60_000);
    await publishTo(decision.pipeline, 'screenings.scored', backdated);
    await caughtUp(decision.pipeline, 'decision');
  }
  const made = await Promise.all(days.map(async (_, n) => (await decided(decision, `w-${n}`))?.action));
  expect(made).toEqual(['allow', 'allow', 'allow', 'review']);
  expect(await decided(decision, 'w-3')).toMatchObject({ rule: 'rules.many', history: [{ count: 4 }, { count: 4 }] });
  // A backtest of the stored decisions finds the same.
  const tried = await backtest(stack.db.pool, systemClock, parsePolicy(text), { since: new Date(0) });
  expect(Object.fromEntries(tried.cells)).toEqual({ 'allow:allow': 3, 'review:review': 1 });
});

test('what is unknown of history holds: no user, a value that nobody knows, more than can be counted', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, text);
  const { pipeline } = decision;
  await publishTo(
    pipeline,
    'screenings.scored',
    result('nobody', { user_id: null }),
    result('worthless', { usd_value: null, user_id: 'u-3' }),
  );
  const failed = ['RULE:many', 'RULE_FAILED:many', 'RULE:much', 'RULE_FAILED:much', 'LEVEL_LOW'];
  expect(await decided(decision, 'nobody')).toMatchObject({ action: 'review', rule: 'rules.many', reason_codes: failed, history: [] });
  expect(await decided(decision, 'worthless')).toMatchObject({
    action: 'review',
    reason_codes: ['RULE:much', 'RULE_FAILED:much', 'LEVEL_LOW'],
    history: [{ unknown_count: 1 }, { unknown_count: 1 }],
  });
});

test('of transfers of one user at two replicas at once, none is missed by all', async () => {
  const replicas = [await start(), await start()] as const;
  await activatePolicy(stack.db.pool, text);
  const ids = Array.from({ length: 40 }, (_, n) => `w-${n}`);
  await Promise.all(
    ids.map((id, n) =>
      publishTo(
        replicas[n % 2 === 0 ? 0 : 1].pipeline,
        'screenings.scored',
        result(id, { occurred_at: noon + (n % 7) * 1_000, to_address: `0x${n}` }),
      ),
    ),
  );
  await caughtUp(replicas[0].pipeline, 'decision');
  const { rows } = await stack.db.pool.query<{ count: number }>(
    `SELECT (evidence->'history'->0->>'count')::int AS count FROM decision.decisions ORDER BY 1`,
  );
  expect(rows).toHaveLength(40);
  // The nth decision has seen at least n transfers.
  for (const [at, { count }] of rows.entries()) expect(count).toBeGreaterThanOrEqual(at + 1);
});

test('windows of the candidate are counted too, and only windows that somebody names', async () => {
  const decision = await start();
  await publishTo(decision.pipeline, 'screenings.scored', result('plain', {}));
  expect(await decided(decision, 'plain')).toMatchObject({ history: [], shadow: null });
  await shadowPolicy(stack.db.pool, text.replace('count > 3', 'count > 1'));
  await publishTo(decision.pipeline, 'screenings.scored', result('both', {}));
  expect(await decided(decision, 'both')).toMatchObject({ action: 'allow', shadow: 'review', history: [{ count: 2 }, { count: 2 }] });
});

test('a user with a hundred thousand transfers costs a bounded time: beyond twenty thousand in a window they are too many to count', async () => {
  await (await start()).stop();
  const { pool } = stack.db;
  const insert = (from: number, to: number) =>
    pool.query(
      `INSERT INTO decision.transfers SELECT decision.history_key('u-1'), decision.history_key('0x' || n % 100),
         to_timestamp($3 / 1000.0) - n * interval '100 milliseconds', 'withdrawal', 1.01, gen_random_uuid() FROM generate_series($1::int, $2::int) AS n`,
      [from, to, noon],
    );
  await insert(1, 20_000);
  const wanted = windowsOf(parsePolicy(text));
  const { transfer } = result('now', { to_address: '0x7' });
  const measured = async (name: string): Promise<unknown> => {
    await pool.query('VACUUM ANALYZE decision.transfers');
    const found = await historyOf(pool, wanted, [{ transfer, requested_at: noon }]);
    const took: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const began = performance.now();
      await historyOf(pool, wanted, [{ transfer, requested_at: noon }]);
      took.push((performance.now() - began) / wanted.length);
    }
    process.stdout.write(`one window of a user with ${name} transfers in it: ${took.sort((a, b) => a - b)[5]?.toFixed(1)} ms\n`);
    return found;
  };
  expect(await measured('20,000')).toEqual([
    [
      { of: 'user', kind: 'withdrawal', window_ms: 24 * hour, count: 20_000, known_usd: '20200', unknown_count: 0 },
      { of: 'user_counterparty', kind: null, window_ms: 7 * 24 * hour, count: 200, known_usd: '202', unknown_count: 0 },
    ],
  ]);
  await insert(20_001, 100_000);
  expect(await measured('100,000')).toEqual([[]]);
});
