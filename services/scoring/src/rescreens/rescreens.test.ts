import { randomUUID } from 'node:crypto';
import { createChainSchema, putLabel } from '@weir/chain-store/testing';
import type { ScreeningRequested, ScreeningScored } from '@weir/contracts';
import { advisoryLock } from '@weir/postgres';
import { readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from '../harness.testing.ts';
import { noteChanges } from './changes.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  change();
});
afterEach(() => harness.close());

const within = { timeout: 15_000, interval: 50 };
const anAddress = (): string => `0x${randomUUID().replaceAll('-', '').padStart(40, 'b')}`;
const change = (...subjects: readonly string[]): void => harness.upstream.change(...subjects.map((subject) => ({ subject })));
const severe = { data: { score: 100, risk_level: 'Severe' } };

/** The feed is known and its present end stored. */
async function begun(): Promise<void> {
  await vi.waitFor(async () => expect(await cursors()).toEqual([expect.any(String)]), within);
}
const cursors = async (): Promise<(string | null)[]> =>
  (await harness.pipeline.pool.query<{ cursor: string | null }>('SELECT cursor FROM scoring.feeds')).rows.map(({ cursor }) => cursor);

/** All changes read so far are processed. */
async function settled(): Promise<void> {
  const seen = harness.upstream.polls;
  await vi.waitFor(async () => {
    expect(harness.upstream.polls).toBeGreaterThan(seen + 1);
    const { rows } = await harness.pipeline.pool.query('SELECT FROM scoring.rescreens');
    expect(rows).toHaveLength(0);
    expect((await harness.pipeline.log.lag('scoring')).every(({ lag }) => lag === 0n)).toBe(true);
    const open = await harness.pipeline.pool.query(`SELECT FROM scoring.screenings WHERE state <> 'answered'`);
    expect(open.rows).toHaveLength(0);
  }, within);
}

/** Attempts by screening, as requested; each event once. Fails when a repeated event has other bytes. */
async function attempts(): Promise<Map<string, number[]>> {
  const byId = new Map<string, string>();
  const found = new Map<string, number[]>();
  for (const { id, data, record } of await readTopic(harness.pipeline, 'screenings.requested')) {
    const bytes = record.value.toString('hex');
    expect(byId.get(id) ?? bytes).toBe(bytes);
    if (byId.has(id)) continue;
    byId.set(id, bytes);
    found.set(data.screening_id, [...(found.get(data.screening_id) ?? []), data.attempt]);
  }
  return found;
}
async function askedAgain(): Promise<Set<string>> {
  return new Set([...(await attempts())].filter(([, all]) => all.length > 1).map(([id]) => id));
}
const idsOf = (requests: readonly ScreeningRequested[]): Set<string> => new Set(requests.map(({ screening_id }) => screening_id));
async function results(request: ScreeningRequested): Promise<ScreeningScored[]> {
  const all = (await harness.scored()).filter(({ screening_id }) => screening_id === request.screening_id);
  return [...new Map(all.map((scored) => [`${scored.attempt}/${scored.sequence}`, scored])).values()];
}
const screened = async (requests: readonly ScreeningRequested[]): Promise<void> => {
  const before = (await harness.scored()).length;
  await harness.request(requests);
  await harness.untilScored(before + requests.length);
};

test('screenings of a changed subject, and no others, get their next attempt: one question, in the lane of re-screening', async () => {
  await harness.replica();
  await begun();
  const subject = anAddress();
  const affected = [
    aRequest({ subject }),
    aRequest({ subject, direction: 'withdraw', kind: 'withdrawal' }),
    aRequest({ subject, coin: 'USDT-ERC20' }),
  ];
  const others = [aRequest(), aRequest(), aRequest({ subject, chain: 'base' }), aRequest({ subject, fault: 'INVALID_TRANSFER' })];
  await screened([...affected, ...others]);
  const asked = harness.upstream.creates.length;
  harness.upstream.answer(() => severe);
  // Another API may write the address so.
  change(subject.toUpperCase().replace('0X', '0x'));
  await settled();
  expect(await askedAgain()).toEqual(idsOf(affected));
  expect(harness.upstream.creates.length - asked).toBe(2);
  const again = (await readTopic(harness.pipeline, 'screenings.requested')).map(({ data }) => data).filter(({ attempt }) => attempt === 2);
  for (const request of affected) expect(again).toContainEqual({ ...request, attempt: 2, lane: 'rescreen' });
  for (const request of affected)
    expect((await results(request)).map(({ attempt, sequence, risk_level }) => [attempt, sequence, risk_level])).toEqual([
      [1, 1, 'Low'],
      [2, 1, 'Severe'],
    ]);
});

test('of a transaction only the direction that has changed is asked for again', async () => {
  await harness.replica();
  await begun();
  const aDeposit = () => aRequest({ subject_type: 'txid', subject: `0x${randomUUID().replaceAll('-', '').repeat(2)}` });
  const [one, other] = [aDeposit(), aDeposit()];
  await screened([one, other]);
  harness.upstream.change({ subject: one.subject, subject_type: 'txid', direction: 'withdraw' });
  harness.upstream.change({ subject: other.subject, subject_type: 'txid', direction: 'deposit' });
  await settled();
  expect(await askedAgain()).toEqual(idsOf([other]));
});

test('what changed before the first look is not told; what changes after each attempt is asked for once more', async () => {
  const requests = [aRequest(), aRequest()];
  const [first] = requests;
  change(first?.subject ?? '');
  await harness.replica();
  await begun();
  await screened(requests);
  await settled();
  expect(await askedAgain()).toEqual(new Set());
  for (const attempt of [2, 3]) {
    change(first?.subject ?? '');
    await vi.waitFor(async () => expect((await attempts()).get(first?.screening_id ?? '')?.at(-1)).toBe(attempt), within);
    await settled();
  }
  expect([...(await attempts()).values()].map((all) => all.length).sort((a, b) => a - b)).toEqual([1, 3]);
});

test('old screenings are left alone', async () => {
  await harness.replica({ rescreenMaxAgeMs: 3_600_000 });
  await begun();
  const subject = anAddress();
  const [old, young] = [7_200_000, 1_800_000].map((age) => aRequest({ subject, requested_at: Date.now() - age }));
  await screened([old, young].filter((one) => one !== undefined));
  change(subject);
  await settled();
  expect(await askedAgain()).toEqual(idsOf(young === undefined ? [] : [young]));
});

test('a subject with hundreds of screenings is asked for in steps, with one question, and others do not wait for it', async () => {
  await harness.replica();
  await begun();
  const subject = anAddress();
  const many = Array.from({ length: 230 }, (_, n) => aRequest({ subject, requested_at: Date.now() - Math.floor(n / 3) }));
  const one = aRequest();
  await screened([...many, one]);
  const asked = harness.upstream.creates.length;
  change(subject, one.subject);
  await settled();
  expect(await askedAgain()).toEqual(idsOf([...many, one]));
  expect(harness.upstream.creates.length - asked).toBe(2);
  const order = (await readTopic(harness.pipeline, 'screenings.requested')).filter(({ data }) => data.attempt === 2);
  const times = order.map(({ record }) => record.timestamp);
  const at = order.find(({ data }) => data.screening_id === one.screening_id)?.record.timestamp ?? 0;
  expect(at).toBeLessThan(Math.max(...times));
});

test('changes wait for those who take requests in, and those for changes: nobody is answered by what is just being struck out', async () => {
  await harness.replica();
  await begun();
  const [first, second] = [aRequest(), aRequest()];
  await screened([first]);
  const client = await harness.pipeline.pool.connect();
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const somebodyWaits = (): Promise<void> =>
    vi.waitFor(async () => expect((await client.query(waiting)).rowCount).toBeGreaterThan(0), { ...within, interval: 10 });
  try {
    // As an admission does.
    await client.query('BEGIN');
    await client.query(`SELECT ${advisoryLock('scoring-results', 'shared')}`);
    const before = await cursors();
    change(first.subject);
    await somebodyWaits();
    expect([await cursors(), (await harness.pipeline.pool.query('SELECT FROM scoring.results')).rowCount]).toEqual([before, 1]);
    await client.query('COMMIT');
    await settled();
    expect(await askedAgain()).toEqual(idsOf([first]));
    // As the reader of score changes does.
    await client.query('BEGIN');
    await client.query(`SELECT ${advisoryLock('scoring-results')}`);
    await harness.request([second]);
    await somebodyWaits();
    expect(await results(second)).toEqual([]);
    await client.query('COMMIT');
    await vi.waitFor(async () => expect(await results(second)).toHaveLength(1), within);
  } finally {
    client.release(true);
  }
});

describe('what is under way when a score changes', () => {
  test('is asked anew, and what comes of the first question is told to nobody', async () => {
    harness.upstream.answer((_subject, create) => (create === 1 ? { running: 60 } : severe));
    await harness.replica();
    await begun();
    const request = aRequest();
    await harness.request([request]);
    await vi.waitFor(() => expect(harness.upstream.queries.get(request.subject) ?? 0).toBeGreaterThan(1), within);
    change(request.subject);
    expect(await harness.untilScored(1)).toMatchObject([{ attempt: 1, sequence: 1, risk_level: 'Severe' }]);
    await vi.waitFor(() => expect(harness.upstream.queries.get(request.subject)).toBeGreaterThanOrEqual(61), within);
    await settled();
    expect(await results(request)).toHaveLength(1);
    expect(await askedAgain()).toEqual(new Set());
    const { rows } = await harness.pipeline.pool.query<{ level: string }>(`SELECT result ->> 'risk_level' AS level FROM scoring.results`);
    expect(rows).toEqual([{ level: 'Severe' }]);
  });

  test('and is not sent yet, is sent once', async () => {
    await harness.replica({ upstreamPerSecond: 2 });
    await begun();
    const requests = Array.from({ length: 8 }, () => aRequest());
    await harness.request(requests);
    await vi.waitFor(async () => {
      const { rows } = await harness.pipeline.pool.query<{ claimed: number }>('SELECT count(owner)::int AS claimed FROM scoring.lookups');
      expect(rows[0]?.claimed).toBeGreaterThan(3);
    }, within);
    const before = await cursors();
    change(...requests.map(({ subject }) => subject));
    await vi.waitFor(async () => expect(await cursors()).not.toEqual(before), within);
    const last = harness.upstream.creates.length;
    await harness.untilScored(8);
    await settled();
    // Screenings answered before or just then are re-screened.
    expect(harness.upstream.creates.length).toBeLessThanOrEqual(8 + last + 3);
    for (const request of requests) expect((await results(request)).filter(({ attempt }) => attempt === 1)).toHaveLength(1);
  });
});

test('a re-screening without an answer waits on, is shown, and is told of when the API is back', async () => {
  const { metrics } = await harness.replica();
  await begun();
  const request = aRequest();
  await screened([request]);
  harness.upstream.answer(() => ({ instead: { on: 'create', status: 503, body: '' } }));
  change(request.subject);
  await vi.waitFor(() => expect(harness.upstream.creates.length).toBeGreaterThan(1), within);
  await harness.pipeline.pool.query('UPDATE scoring.screenings SET deadline_at = now()');
  await vi.waitFor(async () => {
    expect(await metrics.scrape()).toMatch(/^weir_screenings_open\{kind="deposit",state="rescreen"\} 1$/m);
    const { rows } = await harness.pipeline.pool.query(`SELECT state FROM scoring.screenings WHERE attempt = 2 AND deadline_at < now()`);
    expect(rows).toEqual([{ state: 'rescreen' }]);
  }, within);
  // Several rounds of the deadline check.
  const seen = harness.upstream.polls;
  await vi.waitFor(() => expect(harness.upstream.polls).toBeGreaterThan(seen + 12), within);
  expect((await results(request)).map(({ attempt }) => attempt)).toEqual([1]);
  harness.upstream.answer(() => severe);
  await harness.untilScoredInHaste(2);
  expect((await results(request))[1]).toMatchObject({ attempt: 2, sequence: 1, risk_level: 'Severe' });
});

test('a local sanctions match is told of in a re-screening at once', async () => {
  await createChainSchema(harness.pipeline.pool);
  await harness.replica();
  await begun();
  const request = aRequest();
  await screened([request]);
  harness.upstream.answer(() => ({ running: 5 }));
  await putLabel(harness.pipeline.pool, { address: request.transfer.from_address ?? '' });
  change(request.subject);
  await settled();
  expect((await results(request)).map(({ attempt, sequence, outcome, reasons }) => [attempt, sequence, outcome, reasons])).toEqual([
    [1, 1, 'SCORED', []],
    [2, 1, 'UNAVAILABLE', ['LOCAL_SANCTIONS_MATCH']],
    [2, 2, 'SCORED', ['LOCAL_SANCTIONS_MATCH']],
  ]);
});

test('a new transfer ends the result of its subject, and screens only what was requested while it was being told again', async () => {
  await harness.replica();
  await begun();
  const subject = anAddress();
  const earlier = aRequest({ subject, requested_at: Date.now() - 600_000 });
  const recent = aRequest({ subject });
  await screened([earlier]);
  await screened([recent]);
  expect(harness.upstream.creates).toHaveLength(1);
  harness.upstream.answer(() => severe);
  harness.upstream.change({ subject, cause: 'transfer' });
  await settled();
  expect(await askedAgain()).toEqual(idsOf([recent]));
  expect((await results(recent)).map(({ attempt, risk_level }) => [attempt, risk_level])).toEqual([
    [1, 'Low'],
    [2, 'Severe'],
  ]);
  const next = aRequest({ subject });
  await screened([next]);
  expect(await results(next)).toMatchObject([{ risk_level: 'Severe' }]);
});

test('a page counts once, whoever brings it, and none that was superseded', async () => {
  const { pool } = harness.pipeline;
  const one = await harness.replica();
  await begun();
  const request = aRequest();
  await screened([request]);
  await one.stop();
  const [feed] = (await pool.query<{ feed: string }>('SELECT feed FROM scoring.feeds')).rows.map((row) => row.feed);
  const [after = null] = await cursors();
  const changes = [
    { chain: 'ethereum', subject_type: 'address', subject: request.subject, direction: 'deposit', cause: 'label', changed_at: 0 },
  ] as const;
  const page = { feed: feed ?? '', after, changes, next_cursor: '0-1', isLast: true };
  expect(await Promise.all([noteChanges(pool, page), noteChanges(pool, page)])).toEqual(expect.arrayContaining([true, false]));
  await pool.query('DELETE FROM scoring.rescreens');
  expect(await noteChanges(pool, { ...page, next_cursor: '0-7' })).toBe(false);
  expect([await cursors(), (await pool.query('SELECT FROM scoring.rescreens')).rowCount]).toEqual([['0-1'], 0]);
});

describe('the feed', () => {
  test('is read by one of two replicas, and by the other when that one goes; each change counts once', async () => {
    const first = await harness.replica();
    await harness.replica();
    await begun();
    const requests = Array.from({ length: 30 }, () => aRequest());
    await screened(requests);
    const owners = async () => (await harness.pipeline.pool.query<{ owner: string }>('SELECT owner FROM scoring.feeds')).rows[0]?.owner;
    const holder = await owners();
    change(...requests.slice(0, 15).map(({ subject }) => subject));
    await settled();
    expect(await owners()).toBe(holder);
    change(...requests.slice(15).map(({ subject }) => subject));
    await first.stop();
    await settled();
    expect([...(await attempts()).values()]).toEqual(requests.map(() => [1, 2]));
  });

  test('is read page by page', async () => {
    await harness.replica();
    await begun();
    const request = aRequest();
    await screened([request]);
    change(...Array.from({ length: 1_200 }, anAddress), request.subject);
    await settled();
    expect(await askedAgain()).toEqual(idsOf([request]));
    expect(await cursors()).toEqual(['0-1201']);
  });

  test('is asked again after a change that could not be stored, and loses nothing', async () => {
    await harness.replica();
    await begun();
    const request = aRequest();
    await screened([request]);
    await harness.pipeline.pool.query('ALTER TABLE scoring.rescreens RENAME TO away');
    const seen = harness.upstream.polls;
    change(request.subject);
    await vi.waitFor(() => expect(harness.upstream.polls).toBeGreaterThan(seen + 2), within);
    await harness.pipeline.pool.query('ALTER TABLE scoring.away RENAME TO rescreens');
    await settled();
    expect((await attempts()).get(request.screening_id)).toEqual([1, 2]);
  });

  test('that is away is waited for, and how long is shown', async () => {
    const { metrics } = await harness.replica();
    await begun();
    const request = aRequest();
    await screened([request]);
    await harness.upstream.away();
    change(request.subject);
    const behind = async (): Promise<number> => Number(/^weir_rescreen_feed_seconds (\S+)$/m.exec(await metrics.scrape())?.[1]);
    await vi.waitFor(async () => expect(await behind()).toBeGreaterThan(1), within);
    await harness.upstream.back();
    await vi.waitFor(async () => expect(await askedAgain()).toEqual(idsOf([request])), within);
    await settled();
    await vi.waitFor(async () => expect(await behind()).toBeLessThan(1), within);
  });

  test('is begun as soon as an API is back that was away from the start', async () => {
    await harness.upstream.away();
    const { metrics } = await harness.replica();
    const asked = /^weir_upstream_requests_total\{operation="score_changes",outcome="unavailable_network"\} (\d+)$/m;
    await vi.waitFor(async () => expect(Number(asked.exec(await metrics.scrape())?.[1] ?? 0)).toBeGreaterThan(5), within);
    await harness.upstream.back();
    await vi.waitFor(async () => expect(await cursors()).toEqual([expect.any(String)]), { timeout: 3_000, interval: 50 });
  });

  test('that is not found once it was there is away, and nothing of it is lost', async () => {
    await harness.replica();
    await begun();
    const request = aRequest();
    await screened([request]);
    harness.upstream.change(null);
    const seen = harness.upstream.polls;
    await vi.waitFor(() => expect(harness.upstream.polls).toBeGreaterThan(seen + 2), within);
    change(request.subject);
    await settled();
    expect(await askedAgain()).toEqual(idsOf([request]));
  });

  test('that there is not is not asked for again and again, and nobody is told of a lag', async () => {
    harness.upstream.change(null);
    const { metrics } = await harness.replica();
    await vi.waitFor(() => expect(harness.upstream.polls).toBe(1), within);
    const request = aRequest();
    await screened([request]);
    await vi.waitFor(async () => expect(await metrics.scrape()).toMatch(/^weir_rescreen_feed_seconds 0$/m), within);
    expect(harness.upstream.polls).toBe(1);
  });

  test('that has lost our place is begun anew at its end', async () => {
    await harness.replica();
    await begun();
    const request = aRequest();
    await screened([request]);
    harness.upstream.forgetCursors();
    await vi.waitFor(async () => expect(await cursors()).toEqual(['1-0']), within);
    change(request.subject);
    await settled();
    expect(await askedAgain()).toEqual(idsOf([request]));
  });
});
