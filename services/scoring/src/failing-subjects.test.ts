import { systemClock } from '@weir/clock';
import type { LogRecord } from '@weir/event-log';
import { deadLetters } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const untilDead = (count: number): Promise<LogRecord[]> =>
  vi.waitFor(
    async () => {
      const dead = await deadLetters(harness.pipeline, 'screenings.requested');
      expect(dead).toHaveLength(count);
      return dead;
    },
    { timeout: 10_000, interval: 50 },
  );
const bad = (n: number): string => `0xbad${String(n).padStart(37, '0')}`;

test.each([
  ['a NUL in a label', { address_label: 'a\0b' }],
  ['half a character', { detail_list: ['\ud800'] }],
  [
    'a hop number beyond any record',
    { risk_detail: [{ entity: 'x', risk_type: 'mixer', exposure_type: 'direct', hop_num: 3_000_000_000, volume: 1, percent: 1 }] },
  ],
])('answers that nothing can store (%s) keep nobody else waiting and are held as unreadable', async (_name, data) => {
  harness.upstream.answer((subject) => (subject.startsWith('0xbad') ? { data } : {}));
  await harness.replica();
  const troubled = [0, 1, 2].map((n) => aRequest({ subject: bad(n) }));
  const good = Array.from({ length: 30 }, () => aRequest());
  await harness.request([...troubled, ...good]);
  await harness.failedAndLate(troubled.length);
  const told = await harness.untilScored(33, 15_000);
  const ids = new Set(troubled.map(({ screening_id }) => screening_id));
  for (const scored of told) {
    if (ids.has(scored.screening_id))
      expect(scored).toMatchObject({ outcome: 'UNAVAILABLE', reasons: ['UPSTREAM_UNREADABLE', 'DEADLINE_PASSED'] });
    else expect(scored).toMatchObject({ outcome: 'SCORED' });
  }
  const goodSubjects = new Set(good.map(({ subject }) => subject));
  expect(harness.upstream.creates.filter(({ subject }) => goodSubjects.has(subject))).toHaveLength(30);
});

test('a few subjects that the API chokes on do not stop the screening of others', async () => {
  harness.upstream.answer((subject) => (subject.startsWith('0xbad') ? { instead: { on: 'create', status: 500, body: '{}' } } : {}));
  await harness.replica();
  const troubled = Array.from({ length: 6 }, (_, n) => aRequest({ subject: bad(n), lane: 'withdrawal', kind: 'withdrawal' }));
  await harness.request(troubled);
  const good = Array.from({ length: 50 }, () => aRequest());
  await harness.request(good);
  const told = await harness.untilScored(50, 15_000);
  expect(told.every(({ outcome }) => outcome === 'SCORED')).toBe(true);
});

test('while every create is answered with 503, creates are few, and all are told when it is over', async () => {
  harness.upstream.answer(() => ({ instead: { on: 'create', status: 503, body: '' } }));
  // Slower than the answers on a loaded machine too: with all creates sent at once, the first failure would come too late.
  await harness.replica({ upstreamPerSecond: 20 });
  await harness.request(Array.from({ length: 40 }, () => aRequest()));
  // From so many on the API counts as unavailable.
  await harness.untilFailed(5);
  // Long enough for all creates, if nothing held them up.
  await systemClock.sleep(2_500);
  await harness.late(40);
  const holds = await harness.untilScored(40, 15_000);
  for (const hold of holds) expect(hold).toMatchObject({ outcome: 'UNAVAILABLE', reasons: ['UPSTREAM_UNAVAILABLE', 'DEADLINE_PASSED'] });
  // At least five until the API counts as unavailable, those in flight, and one probe after 1 and 2 seconds.
  expect(harness.upstream.creates.length).toBeLessThan(40);
  harness.upstream.answer(() => ({}));
  // Retries after the hold wait half a minute.
  const all = await harness.untilScored(80, 50_000);
  expect(all.filter(({ sequence }) => sequence === 2).every(({ outcome }) => outcome === 'SCORED')).toBe(true);
});

test('a subject for which hundreds wait with a large answer is told in steps', async () => {
  const filler = 'x'.repeat(150_000);
  harness.upstream.answer(() => ({ running: 3, data: { address_label: filler } }));
  await harness.replica();
  const subject = bad(1);
  await harness.request(Array.from({ length: 60 }, () => aRequest({ subject })));
  await vi.waitFor(
    async () => {
      const { rows } = await harness.pipeline.pool.query<{ open: number }>('SELECT count(*)::int AS open FROM scoring.lookups');
      expect(rows).toEqual([{ open: 0 }]);
      expect(harness.upstream.creates).toHaveLength(1);
    },
    { timeout: 20_000, interval: 100 },
  );
  const told = await harness.untilScored(60);
  expect(told.every(({ outcome, address_label }) => outcome === 'SCORED' && address_label.length === filler.length)).toBe(true);
});

test('a coin that is not supported is no answer for those who asked about another coin of that subject', async () => {
  const subject = bad(1);
  harness.upstream.answer((_subject, create) =>
    create === 1
      ? { instead: { on: 'create', status: 400, body: JSON.stringify({ success: false, msg: 'UnsupportedToken', data: {} }) } }
      : {},
  );
  await harness.request([aRequest({ subject, coin: 'PEPE-ERC20' }), aRequest({ subject, coin: 'ETH' })]);
  await harness.replica();
  const told = await harness.untilScored(2);
  expect(told.map(({ outcome }) => outcome).sort()).toEqual(['SCORED', 'UNSUPPORTED']);
});

test('a query that is refused for the day holds with that reason and is asked again within minutes, with its task', async () => {
  harness.upstream.answer(() => ({
    running: 1,
    instead: {
      on: 'query',
      status: 429,
      body: JSON.stringify({ success: false, msg: 'ExceededDailyRateLimit', data: {}, retry_after: 80_000 }),
    },
  }));
  await harness.replica();
  await harness.request([aRequest()]);
  await harness.failedAndLate(1);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'UNAVAILABLE', reasons: ['BUDGET_EXHAUSTED', 'DEADLINE_PASSED'] }]);
  await vi.waitFor(async () => {
    const { rows } = await harness.pipeline.pool.query<{ owner: string | null; task_id: string | null; soon: boolean }>(
      `SELECT owner, task_id, next_at < now() + interval '5 minutes' AS soon FROM scoring.lookups`,
    );
    expect(rows).toMatchObject([{ owner: null, soon: true }]);
    expect(rows[0]?.task_id).not.toBeNull();
  });
});

test('a forged request for another subject than its transfer’s, or than that of an earlier attempt, goes to the dead letters', async () => {
  harness.upstream.answer((subject) => (subject === bad(1) ? { data: { score: 95, risk_level: 'Severe' } } : {}));
  await harness.replica();
  const [clean, honest] = [aRequest(), aRequest({ subject: bad(1) })];
  const forged = { ...aRequest(), subject: clean.subject };
  const later = { ...honest, attempt: 2, subject: clean.subject, transfer: { ...honest.transfer, from_address: clean.subject } };
  await harness.request([forged, honest]);
  await harness.request([later, clean]);
  const told = await harness.untilScored(2);
  expect(new Map(told.map(({ screening_id, risk_level }) => [screening_id, risk_level]))).toEqual(
    new Map([
      [honest.screening_id, 'Severe'],
      [clean.screening_id, 'Low'],
    ]),
  );
  const dead = await untilDead(2);
  expect(new Set(dead.map(({ headers }) => headers['weir_reason']))).toEqual(new Set(['CONFLICTING_TRANSFER', 'INVALID_SUBJECT']));
});

test('a request that no database can hold goes to the dead letters, and those behind it are answered', async () => {
  await harness.replica();
  const good = aRequest();
  await harness.request([aRequest({ screening_id: 'none' }), aRequest({ subject: 'a\0b' }), good]);
  expect(await harness.untilScored(1)).toMatchObject([{ screening_id: good.screening_id, outcome: 'SCORED' }]);
  const dead = await untilDead(2);
  expect(new Set(dead.map(({ headers }) => headers['weir_reason']))).toEqual(new Set(['INVALID_SCREENING', 'INVALID_SCREENING_ID']));
  expect(dead.map(({ headers }) => headers['weir_group'])).toEqual(['scoring', 'scoring']);
});
