import { systemClock } from '@weir/clock';
import type { ScreeningRequested } from '@weir/contracts';
import { storeToken } from '@weir/service-kit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const within = { timeout: 20_000, interval: 50 };
const settings = { upstreamPerDay: 9 };
const day = 86_400_000;

async function aToken(name: string, perDay: number | null = null): Promise<string> {
  await storeToken(harness.pipeline.pool, `token-${name}`, 'ingest', name, { perDay });
  const { rows } = await harness.pipeline.pool.query<{ id: string }>(
    "SELECT left(encode(token_sha256, 'hex'), 16) AS id FROM access.tokens WHERE name = $1",
    [name],
  );
  return rows[0]?.id ?? '';
}

function addressed(nth: number, token_id: string | null): ScreeningRequested {
  const subject = `0x${String(nth).padStart(40, '0')}`;
  const request = aRequest({ subject, token_id });
  return { ...request, transfer: { ...request.transfer, from_address: subject } };
}

const creates = async (): Promise<Record<string, number>> => {
  const { rows } = await harness.pipeline.pool.query<{ token_id: string; creates: number }>(
    'SELECT token_id, sum(creates)::int AS creates FROM scoring.token_days GROUP BY 1',
  );
  return Object.fromEntries(rows.map((row) => [row.token_id, row.creates]));
};
const untilMoved = (count: number): Promise<void> =>
  vi.waitFor(async () => {
    const { rows } = await harness.pipeline.pool.query<{ moved: number }>(
      'SELECT count(*)::int AS moved FROM scoring.lookups WHERE lane = 2',
    );
    expect(rows[0]?.moved).toBe(count);
  }, within);

test('a token pays for creates, not for transfers: two for an unknown transaction, none for an answer that is reused', async () => {
  const sender = `0x${'5e'.repeat(20)}`;
  harness.upstream.answer((subject) =>
    subject.length === 66 ? { data: { score: 3, risk_level: 'Low', coverage: 'none', detail_list: [], risk_detail: [] } } : {},
  );
  const [paying, reusing] = [await aToken('paying'), await aToken('reusing')];
  const replica = await harness.replica();
  const unknown = aRequest({ subject_type: 'txid', subject: `0x${'a'.repeat(64)}`, token_id: paying });
  await harness.request([{ ...unknown, transfer: { ...unknown.transfer, txid: unknown.subject, from_address: sender } }]);
  await harness.untilScored(1);
  await harness.request(Array.from({ length: 3 }, () => aRequest({ subject: sender, token_id: reusing })));
  await harness.untilScored(4);
  await replica.stop();
  expect(harness.upstream.creates).toHaveLength(2);
  expect(await creates()).toEqual({ [paying]: 2 });
});

test("one of two tokens cannot spend the whole day's creates: beyond half they wait behind, and the other token's go on", async () => {
  const [greedy, other] = [await aToken('greedy'), await aToken('other')];
  // Deposits may use 6 of 9, re-screenings none; half is 4.
  const replica = await harness.replica(settings);
  await harness.request(Array.from({ length: 8 }, (_, n) => addressed(n, greedy)));
  await harness.untilScored(4);
  await untilMoved(4);
  await harness.request([addressed(100, other), addressed(101, other)]);
  const told = await harness.untilScored(6);
  expect(told.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'SCORED'));
  await replica.stop();
  expect(await creates()).toEqual({ [greedy]: 4, [other]: 2 });
  // Lookups in flight at that time count too.
  expect(await replica.metrics.registry.getSingleMetricAsString('weir_token_over_share_total')).toMatch(/\{lane="deposit"\} [4-8]$/);
});

test('the only token of an installation may spend the whole day', async () => {
  const only = await aToken('only');
  await harness.replica(settings);
  await harness.request(Array.from({ length: 6 }, (_, n) => addressed(n, only)));
  expect(await harness.untilScored(6)).toHaveLength(6);
});

test('a lookup of a token that has spent its share is not held up for another token that waits for it, which pays', async () => {
  const [greedy, other] = [await aToken('greedy', 1), await aToken('other')];
  const replica = await harness.replica(settings);
  await harness.request([addressed(1, greedy)]);
  await harness.untilScored(1);
  await harness.request([addressed(2, greedy)]);
  await untilMoved(1);
  await harness.request([addressed(2, other)]);
  expect(await harness.untilScored(3)).toHaveLength(3);
  await replica.stop();
  expect(await creates()).toEqual({ [greedy]: 1, [other]: 1 });
});

test('a replica whose clock is a day ahead counts by the day of the others', async () => {
  const greedy = await aToken('greedy', 2);
  const first = await harness.replica(settings);
  await harness.request([addressed(1, greedy), addressed(2, greedy)]);
  await harness.untilScored(2);
  await first.stop();
  // The upstream's clock stays: its answers look a day old.
  await harness.replica({ ...settings, maxAnswerAgeMs: 3 * day }, { ...systemClock, now: () => Date.now() + day });
  await harness.request([addressed(3, greedy)]);
  await untilMoved(1);
});

test('replicas share a count, which begins anew with the UTC day', async () => {
  const greedy = await aToken('greedy', 2);
  const first = await harness.replica(settings);
  await harness.request([addressed(1, greedy), addressed(2, greedy)]);
  await harness.untilScored(2);
  await first.stop();
  await harness.replica(settings);
  await harness.request([addressed(3, greedy)]);
  await untilMoved(1);
  await harness.pipeline.pool.query('UPDATE scoring.token_days SET day = day - 1');
  await vi.waitFor(async () => {
    await harness.request([addressed(4, greedy)]);
    expect((await harness.scored()).length).toBeGreaterThan(2);
  }, within);
});
