import { ManualClock } from '@weir/clock';
import type { Kind, ScreeningDecided, ScreeningRequested } from '@weir/contracts';
import { parse } from 'csv-parse/sync';
import { createMetrics } from '@weir/service-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decided, receiver, requested, scored, sender, start, type TestEvent } from '../events.testing.ts';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { createConsoleMetrics } from '../metrics.ts';
import { measureHistory } from './measure.ts';
import { historyOperations } from './routes.ts';
import { addressView, statisticsView, userView } from './view.ts';

const hour = 3_600_000;
let api: TestApi;

function screening(kind: Kind, n: number, user_id: string, usd_value: string | null, decision?: Partial<ScreeningDecided>): TestEvent[] {
  const { data } = requested(kind, n) as { data: ScreeningRequested };
  const transfer = { ...data.transfer, user_id, usd_value };
  return [
    requested(kind, n, { transfer }),
    ...(decision === undefined ? [] : [scored(kind, n, { transfer }), decided(kind, n, { transfer, ...decision })]),
  ];
}
/** People's decision of a held transfer, `after` ms later. */
function resolved(kind: Kind, n: number, action: 'allow' | 'block', after: number): TestEvent {
  const { decided_at } = (decided(kind, n) as { data: ScreeningDecided }).data;
  const by = {
    revision: 2,
    supersedes: 1,
    rule: null,
    reason_codes: ['REVIEWED'],
    resolution_id: `00000000-0000-4000-8000-00000000000${n}`,
  };
  return decided(kind, n, { ...by, action, decided_at: decided_at + after });
}

beforeAll(async () => {
  api = await openTestApi((db, access) => historyOperations({ db, access, clock: new ManualClock(start + 24 * hour) }));
  await api.take([
    ...screening('deposit', 1, 'ann', '0.1', { action: 'allow' }),
    ...screening('deposit', 2, 'ann', '0.2', { action: 'review', rule: 'large' }),
    ...screening('deposit', 3, 'ann', null, { action: 'review', rule: 'large' }),
    resolved('deposit', 3, 'allow', hour),
    ...screening('withdrawal', 4, 'ann', '1000', { action: 'review', rule: 'large' }),
    resolved('withdrawal', 4, 'block', 3 * hour),
    ...screening('withdrawal', 5, 'ann', null),
    ...screening('deposit', 6, 'ben/ü', null, { action: 'review', rule: null }),
    resolved('deposit', 6, 'allow', 2 * hour),
  ]);
});
afterAll(() => api.close());

const read = async (path: string) => (await api.get(path)).json();

test('a user has totals, with an unknown value unknown', async () => {
  const user = await read('/v1/users/ann');
  expect(userView.parse(user)).toEqual({
    user_id: 'ann',
    kinds: [
      { kind: 'deposit', count: 3, usd: '0.3', unknown_usd: 1 },
      { kind: 'withdrawal', count: 2, usd: '1000', unknown_usd: 1 },
    ],
    actions: expect.arrayContaining([
      { action: 'allow', count: 2, usd: '0.1', unknown_usd: 1 },
      { action: 'review', count: 1, usd: '0.2', unknown_usd: 0 },
      { action: 'block', count: 1, usd: '1000', unknown_usd: 0 },
      { action: null, count: 1, usd: null, unknown_usd: 1 },
    ]),
    levels: [
      { level: 'Severe', count: 4, usd: '1000.3', unknown_usd: 1 },
      { level: null, count: 1, usd: null, unknown_usd: 1 },
    ],
    held: { count: 1, usd: '0.2', unknown_usd: 0 },
    counterparties: [
      { address: sender, count: 3, usd: '0.3', unknown_usd: 1 },
      { address: receiver, count: 2, usd: '1000', unknown_usd: 1 },
    ],
    open_reviews: 1,
    first_requested_at: '2026-01-01T00:00:01.000Z',
    last_requested_at: '2026-01-01T00:00:05.000Z',
  });
});

test('a user of whom nothing is held has no held value', async () => {
  expect(await read(`/v1/users/${encodeURIComponent('ben/ü')}`)).toMatchObject({
    user_id: 'ben/ü',
    held: { count: 0, usd: null, unknown_usd: 0 },
    open_reviews: 0,
  });
});

test('an address has the transfers of both sides, by day and level', async () => {
  const found = addressView.parse(await read(`/v1/addresses/${receiver.toUpperCase().replace('0X', '0x')}`));
  expect(found).toMatchObject({
    transfers: { count: 6, usd: '1000.3', unknown_usd: 3 },
    is_complete: true,
    sides: [{ side: 'to', count: 6, usd: '1000.3', unknown_usd: 3 }],
    counterparties: [
      { address: sender, count: 4, usd: '0.3', unknown_usd: 2 },
      { address: null, count: 2, usd: '1000', unknown_usd: 1 },
    ],
    customers: [
      { user_id: 'ann', count: 5 },
      { user_id: 'ben/ü', count: 1 },
    ],
    levels: [
      { level: 'Severe', count: 5 },
      { level: null, count: 1 },
    ],
    days: [
      {
        day: '2026-01-01',
        levels: [
          { level: 'Severe', count: 5, usd: '1000.3' },
          { level: null, count: 1, usd: null },
        ],
      },
    ],
    first_requested_at: '2026-01-01T00:00:01.000Z',
    last_requested_at: '2026-01-01T00:00:06.000Z',
  });
  expect(await read(`/v1/addresses/${sender}`)).toMatchObject({
    transfers: { count: 4, usd: '0.3', unknown_usd: 2 },
    sides: [{ side: 'from', count: 4 }],
    counterparties: [{ address: receiver, count: 4 }],
  });
});

test('the value of the last day and the holds of each rule are measured', async () => {
  const metrics = createMetrics();
  const own = createConsoleMetrics(metrics);
  const measured = async (now: number): Promise<string[]> => {
    await measureHistory(api.db.pool, own, now);
    return (await metrics.scrape()).split('\n').filter((line) => /^weir_(transfers_usd|rule_holds)\{/.test(line));
  };
  const holds = [
    'weir_rule_holds{rule="large",ended="allow"} 1',
    'weir_rule_holds{rule="large",ended="block"} 1',
    'weir_rule_holds{rule="large",ended="open"} 1',
    'weir_rule_holds{rule="none",ended="allow"} 1',
  ];
  const value = (allow: number, review: number, block: number): string[] => [
    `weir_transfers_usd{action="allow"} ${allow}`,
    `weir_transfers_usd{action="review"} ${review}`,
    `weir_transfers_usd{action="block"} ${block}`,
  ];
  expect((await measured(start + hour)).toSorted()).toEqual([...value(0.1, 0.2, 1_000), ...holds].toSorted());
  expect((await measured(start + 48 * hour)).toSorted()).toEqual([...value(0, 0, 0), ...holds].toSorted());
  expect((await measured(start + 40 * 24 * hour)).toSorted()).toEqual(value(0, 0, 0).toSorted());
});

test('statistics of the last week', async () => {
  const statistics = statisticsView.parse(await read('/v1/statistics'));
  expect(statistics).toMatchObject({
    since: '2025-12-26T00:00:00.000Z',
    until: '2026-01-02T00:00:00.000Z',
    days: [{ day: '2026-01-01', count: 6, usd: '1000.3', unknown_usd: 3, allow: 3, review: 1, block: 1, undecided: 1 }],
    coins: [{ coin: 'ETH', count: 6 }],
    rules: [
      { rule: 'large', count: 3, usd: '1000.2', unknown_usd: 1 },
      { rule: null, count: 3, usd: '0.1', unknown_usd: 2 },
    ],
    holds: { ended: 3, open: 1, median_seconds: 7_200, p95_seconds: 10_440, longest_seconds: 10_800 },
    held_by: [
      { rule: 'large', held: 3, decided: 2, allowed: 1, false_positive_rate: 0.5 },
      { rule: null, held: 1, decided: 1, allowed: 1, false_positive_rate: 1 },
    ],
  });
  expect(statistics.levels.map(({ level, count }) => [level, count])).toEqual([
    ['Severe', 5],
    [null, 1],
  ]);
});

test('statistics of a time without screenings are empty', async () => {
  expect(await read('/v1/statistics?since=2026-01-01T00:00:06.001Z')).toMatchObject({
    days: [],
    holds: { ended: 0, open: 0, median_seconds: null },
    held_by: [],
  });
});

test('days, and rules by decisions of people, are exported of the same time', async () => {
  const exported = async (path: string): Promise<unknown> => {
    const answer = await api.get(`/v1/exports/${path}`);
    expect([answer.status, answer.headers.get('x-weir-cut')]).toEqual([200, 'false']);
    return parse(await answer.text(), { columns: true });
  };
  expect(await exported('statistics')).toEqual([
    { day: '2026-01-01', count: '6', usd: '1000.3', unknown_usd: '3', allow: '3', review: '1', block: '1', undecided: '1' },
  ]);
  expect(await exported('held-by')).toEqual([
    { rule: 'large', held: '3', decided: '2', allowed: '1', false_positive_rate: '0.5' },
    { rule: '', held: '1', decided: '1', allowed: '1', false_positive_rate: '1' },
  ]);
  const later = '?since=2026-01-01T00:00:06.001Z';
  expect([await exported(`statistics${later}`), await exported(`held-by${later}`)]).toEqual([[], []]);
});

test.each([
  ['/v1/users/nobody', 404, 'NOT_FOUND'],
  ['/v1/users/%00', 404, 'NOT_FOUND'],
  [`/v1/users/${'a'.repeat(300)}`, 404, 'NOT_FOUND'],
  ['/v1/addresses/nothing', 404, 'NOT_FOUND'],
  ['/v1/addresses/%00', 404, 'NOT_FOUND'],
  [`/v1/addresses/${'a'.repeat(300)}`, 404, 'NOT_FOUND'],
  ['/v1/users/ann?since=2026-01-01', 400, 'UNKNOWN_PARAMETER'],
  ['/v1/statistics?since=2026-01-01', 400, 'INVALID_SINCE'],
  ['/v1/statistics?since=2025-01-01T00:00:00Z', 400, 'INVALID_SINCE'],
  ['/v1/statistics?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 400, 'INVALID_SINCE'],
  ['/v1/statistics?until=never', 400, 'INVALID_UNTIL'],
  ['/v1/exports/statistics?since=2025-01-01T00:00:00Z', 400, 'INVALID_SINCE'],
  ['/v1/exports/held-by?until=never', 400, 'INVALID_UNTIL'],
])('%s: %i %s', async (path, status, code) => {
  const answer = await api.get(path);
  expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ code })]);
});

test.each([
  ['reviewer', 200],
  ['approver', 200],
  ['auditor', 200],
  ['admin', 200],
  ['ingest', 403],
  ['gate', 403],
])('%s: %i', async (role, status) => {
  expect((await api.get('/v1/users/ann', `token-${role}`)).status).toBe(status);
  expect((await api.get('/v1/statistics', `token-${role}`)).status).toBe(status);
  expect((await api.get('/v1/exports/statistics', `token-${role}`)).status).toBe(status);
});
