import { type ScreeningDecided, type ScreeningScored, screeningId } from '@weir/contracts';
import { caughtUp, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { decided, publish, requested, scored, start, type TestEvent } from '../events.testing.ts';
import { type Console, openReviewStack, type ReviewStack } from './reviews.testing.ts';

const dueMs = 7_200_000;
let reviews: ReviewStack;
let console: Console;
beforeEach(async () => {
  reviews = await openReviewStack();
  console = await reviews.start('', {}, dueMs);
});
afterEach(() => reviews.stack.close());

const id = screeningId('deposit', 'deposit-1');
const path = (what = ''): string => `/v1/reviews/${id}${what}`;
const low = { score: 3, risk_level: 'Low' } as const;
const high = { score: 80, risk_level: 'High' } as const;
const severe = { score: 95, risk_level: 'Severe' } as const;
const byPeople = { resolution_id: '74e82c20-9d4e-5737-a06e-3c9d66834476', reason_codes: ['REVIEWED'] };

/** The n-th revision is of n seconds after `start`. */
const decision = (revision: number, action: ScreeningDecided['action'], over: Partial<ScreeningDecided> = {}): TestEvent =>
  decided('deposit', 1, { revision, action, supersedes: revision - 1 || null, decided_at: start + revision * 1_000, ...high, ...over });
const result = (attempt: number, at: number, over: Partial<ScreeningScored>): TestEvent =>
  scored('deposit', 1, { attempt, scored_at: start + at * 1_000, ...over });
const dueAfter = (seconds: number): string => new Date(start + seconds * 1_000 + dueMs).toISOString();

async function take(...events: TestEvent[]): Promise<void> {
  await publish(console.pipeline, events);
  await caughtUp(console.pipeline, 'console');
}
const dueOf = async (): Promise<string | null> => (await console.ask('GET', path(), 'auditor')).body.due_at;
const setDue = (due_at: string | null) => console.ask('PUT', path('/due'), 'reviewer', { due_at });

test.each(['deposit', 'withdrawal'] as const)(
  'a held %s is due by itself: in the list, the filter, the order and the metric',
  async (kind) => {
    const late = { action: 'review', ...high, decided_at: start + 9_000 } as const;
    const soon = { action: 'review', ...high, decided_at: start + 5_000 } as const;
    await take(
      requested(kind, 1),
      decided(kind, 1, late),
      requested(kind, 2),
      decided(kind, 2, soon),
      requested(kind, 3),
      decided(kind, 3),
    );
    const list = async (query: string) => {
      const { body } = await console.ask('GET', `/v1/reviews?${query}`, 'auditor');
      return body.items.map(({ due_at, overdue }: { due_at: string; overdue: boolean }) => [due_at, overdue]);
    };
    const both = [
      [dueAfter(5), true],
      [dueAfter(9), true],
    ];
    expect(await list('sort=due')).toEqual(both);
    expect(await list('due=overdue&sort=due')).toEqual(both);
    expect(await list(`due=${dueAfter(9)}`)).toEqual(both.slice(0, 1));
    expect(await console.pipeline.metrics.scrape()).toContain(`weir_reviews_overdue{kind="${kind}"} 2`);
  },
);

test('without the setting a review has no due time', async () => {
  await console.stop();
  console = await reviews.start();
  await take(requested('deposit', 1), decision(1, 'review'));
  expect(await dueOf()).toBe(null);
});

test.each<[string, TestEvent[], string | null]>([
  ['a hold that a later result has confirmed', [decision(1, 'review'), decision(2, 'review')], dueAfter(1)],
  ['a hold that became an allow', [decision(1, 'review'), decision(2, 'allow', low)], null],
  ['a hold after an allow', [decision(1, 'review'), decision(2, 'allow', low), decision(3, 'review'), decision(4, 'review')], dueAfter(3)],
  ['a block that was reopened', [decision(1, 'block'), decision(2, 'review', byPeople)], dueAfter(2)],
  ['an adverse update', [decision(1, 'allow', low), decision(2, 'block', severe), decision(3, 'block', severe)], dueAfter(2)],
  ['a held adverse update', [decision(1, 'allow', low), decision(2, 'block'), decision(3, 'review', byPeople)], dueAfter(2)],
  [
    'a hold after people have blocked an adverse update',
    [decision(1, 'allow', low), decision(2, 'block'), decision(3, 'block', byPeople), decision(4, 'review', byPeople)],
    dueAfter(4),
  ],
  [
    'worse results after an allow by people, from the first of the latest',
    [
      decision(1, 'review'),
      decision(2, 'allow', byPeople),
      result(2, 3, severe),
      result(3, 4, low),
      result(4, 5, severe),
      result(5, 6, severe),
    ],
    dueAfter(5),
  ],
  [
    'a local match after an allow by people',
    [
      decision(1, 'review'),
      decision(2, 'allow', byPeople),
      result(2, 3, { outcome: 'UNAVAILABLE', score: null, risk_level: null, reasons: ['LOCAL_SANCTIONS_MATCH'] }),
      result(3, 4, { ...low, reasons: ['LOCAL_SANCTIONS_MATCH'] }),
    ],
    dueAfter(3),
  ],
])('a review is due from the time at which it began to wait: %s', async (_, events, expected) => {
  const before = [requested('deposit', 1), result(1, 0.5, high)];
  await take(...before);
  for (const event of events) await take(event);
  expect(await dueOf()).toBe(expected);
  // As a rebuild reads them.
  await reviews.stack.db.pool.query('TRUNCATE console.screenings');
  await take(...before, ...events, ...events);
  expect(await dueOf()).toBe(expected);
});

test.each([['2026-05-01T00:00:00.000Z'], [null], [dueAfter(1)]])("a person's due time stays, whatever comes later: %s", async (chosen) => {
  await take(requested('deposit', 1), decision(1, 'review'));
  expect(await dueOf()).toBe(dueAfter(1));
  expect((await setDue(chosen)).body).toEqual({ assignee: null, due_at: chosen });
  await take(decision(1, 'review'), decision(2, 'review'));
  expect(await dueOf()).toBe(chosen);
  await take(decision(3, 'allow', low));
  await take(decision(4, 'review'));
  expect(await dueOf()).toBe(chosen);
});

test('a due time that a person takes away before the transfer is held stays away', async () => {
  await take(requested('deposit', 1));
  await setDue(null);
  await take(decision(1, 'review'));
  expect(await dueOf()).toBe(null);
});

test('a row of a version in which only people set due times keeps what it has', async () => {
  await take(requested('deposit', 1));
  await reviews.stack.db.pool.query('INSERT INTO console.reviews (screening_id) VALUES ($1)', [id]);
  await take(decision(1, 'review'));
  expect(await dueOf()).toBe(null);
});

test('to choose the time that a review has by itself is an act, once', async () => {
  await take(requested('deposit', 1), decision(1, 'review'));
  for (const due of [dueAfter(1), dueAfter(1), null]) await setDue(due);
  const acts = await vi.waitFor(
    async () => {
      const found = (await readTopic(console.pipeline, 'activities.recorded')).filter(({ data }) => data.subject === id);
      expect(found.at(-1)?.data.details).toEqual([{ name: 'due_at', value: null }]);
      return found;
    },
    { timeout: 10_000 },
  );
  expect(acts.map(({ data }) => data.action)).toEqual(['due_set', 'due_set']);
});

test('an assignment chooses no due time', async () => {
  await take(requested('deposit', 1));
  const assign = async (assignee: string) => (await console.ask('PUT', path('/assignee'), 'reviewer', { assignee })).body;
  expect(await assign('Ann')).toEqual({ assignee: 'Ann', due_at: null });
  await take(decision(1, 'review'));
  expect(await assign('Ben')).toEqual({ assignee: 'Ben', due_at: dueAfter(1) });
  await take(decision(2, 'allow', low));
  await take(decision(3, 'review'));
  expect((await console.ask('GET', path(), 'auditor')).body).toMatchObject({ assignee: 'Ben', due_at: dueAfter(3) });
});
