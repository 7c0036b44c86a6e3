import { ManualClock } from '@weir/clock';
import { eventId, type RiskLevel, type ScreeningDecided, screeningId } from '@weir/contracts';
import {
  caughtUp,
  deadLetters,
  openTestStack,
  type TestService,
  type TestStack,
  type TopicEvent,
  publishTo,
  readTopic,
  withLogElsewhere,
} from '@weir/service-kit/testing';
import { transaction } from '@weir/postgres';
import type { Pipeline } from '@weir/service-kit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startDecision } from './index.ts';
import { requested, scored, unavailable } from '@weir/contracts/testing';
import { decisionRole } from './role.testing.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
});
afterEach(() => stack.close());

const start = (change = (pipeline: Pipeline) => pipeline) =>
  stack.service((pipeline) => startDecision(change(pipeline), { policyFile: '', reviewSingleBelowUsd: '' }), { role: decisionRole });
const settled = ({ pipeline }: TestService) => caughtUp(pipeline, 'decision');

/** The transfer's decisions, each revision once. Fails when a repeat has other bytes. */
async function decisions({ pipeline }: TestService, id: string): Promise<ScreeningDecided[]> {
  const byRevision = new Map<number, TopicEvent<'screenings.decided'>>();
  for (const event of await readTopic(pipeline, 'screenings.decided')) {
    if (event.data.transfer.source_id !== id) continue;
    const { screening_id, revision } = event.data;
    expect(event.id).toBe(eventId('screenings.decided', screening_id, revision));
    expect(event.record.value).toEqual((byRevision.get(revision) ?? event).record.value);
    byRevision.set(revision, event);
  }
  return [...byRevision.values()].map(({ data }) => data).sort((a, b) => a.revision - b.revision);
}
const brief = async (replica: TestService, id: string) =>
  (await decisions(replica, id)).map(({ revision, action, reason_codes: [reason] }) => `${revision} ${action} ${reason}`);

const level = (risk_level: RiskLevel, score: number) => ({ risk_level, score });

test('a result whose screening another transaction is storing is decided once, and its transfer counts once', async () => {
  const decision = await start();
  const { pool } = stack.db;
  const { screening_id, transfer } = requested('d-1');
  const ofUser = { ...transfer, user_id: 'u-1' };
  await transaction(pool, async (tx) => {
    await tx.query(
      `INSERT INTO decision.screenings (screening_id, kind, transfer, requested_at, deadline_at) VALUES ($1, 'deposit', $2, now(), now() + interval '1 hour')`,
      [screening_id, JSON.stringify(ofUser)],
    );
    await tx.query(
      `INSERT INTO decision.transfers (user_key, occurred_at, kind, screening_id) VALUES (decision.history_key('u-1'), now(), 'deposit', $1)`,
      [screening_id],
    );
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { ...level('Low', 3), transfer: ofUser }));
    await vi.waitFor(
      async () => {
        const { rowCount } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'WITH decided AS%'`,
        );
        expect(rowCount).toBe(1);
      },
      { timeout: 20_000, interval: 20 },
    );
  });
  await settled(decision);
  expect((await decisions(decision, 'd-1')).map(({ revision }) => revision)).toEqual([1]);
  expect((await pool.query('SELECT revision FROM decision.screenings')).rows).toEqual([{ revision: 1 }]);
  expect((await pool.query('SELECT FROM decision.transfers')).rowCount).toBe(1);
});

test('a result is decided by the policy, and the decision says on what', async () => {
  const decision = await start();
  await publishTo(decision.pipeline, 'screenings.requested', requested('d-1'));
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, level('Moderate', 35)));
  await settled(decision);
  const [made, ...more] = await decisions(decision, 'd-1');
  expect(more).toEqual([]);
  expect(made).toEqual({
    screening_id: screeningId('deposit', 'd-1'),
    revision: 1,
    kind: 'deposit',
    action: 'review',
    reason_codes: ['LEVEL_MODERATE'],
    rule: 'deposit.Moderate.review_from_usd',
    policy_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    shadow: null,
    shadow_policy_hash: null,
    history: [],
    resolution_id: null,
    names_sanctioned: false,
    supersedes: null,
    outcome: 'SCORED',
    score: 35,
    risk_level: 'Moderate',
    requested_at: requested('d-1').requested_at,
    decided_at: expect.any(Number),
    transfer: requested('d-1').transfer,
  });
});

test("a remark on the caller's time stands in the decision, and holds nothing", async () => {
  const decision = await start();
  const reasons = ['CALLER_TIME_OUT_OF_BOUNDS'];
  await publishTo(decision.pipeline, 'screenings.requested', requested('d-1', { warnings: reasons }));
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { reasons }));
  await settled(decision);
  expect(await decisions(decision, 'd-1')).toMatchObject([{ action: 'allow', reason_codes: ['LEVEL_LOW', 'CALLER_TIME_OUT_OF_BOUNDS'] }]);
});

test('a result that comes before its request is decided, and the request adds nothing', async () => {
  const decision = await start();
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1'));
  await settled(decision);
  expect(await brief(decision, 'd-1')).toEqual(['1 allow LEVEL_LOW']);
  await publishTo(decision.pipeline, 'screenings.requested', requested('d-1'));
  await settled(decision);
  expect(await brief(decision, 'd-1')).toEqual(['1 allow LEVEL_LOW']);
  expect((await stack.db.pool.query('SELECT revision, action FROM decision.screenings')).rows).toEqual([{ revision: 1, action: 'allow' }]);
});

test.each<[string, (pipeline: Pipeline) => Pipeline, number]>([
  ['is published again with the stored bytes where the log is elsewhere', withLogElsewhere, 2],
  ['is not published again where its transaction has appended it', (pipeline) => pipeline, 0],
])('a cause that comes again, later or in the same batch, decides nothing and %s', async (_, change, again) => {
  const decision = await start(change);
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    scored('d-1'),
    scored('d-1'),
    scored('d-1', 1, 2, level('Severe', 95)),
    scored('d-1'),
  );
  await settled(decision);
  const before = (await readTopic(decision.pipeline, 'screenings.decided')).length;
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1'), scored('d-1', 1, 2, level('Severe', 95)));
  await settled(decision);
  expect((await readTopic(decision.pipeline, 'screenings.decided')).length - before).toBe(again);
  expect(await brief(decision, 'd-1')).toEqual(['1 allow LEVEL_LOW', '2 block LEVEL_SEVERE']);
  expect((await stack.db.pool.query('SELECT FROM decision.decisions')).rowCount).toBe(2);
});

describe('an older result after a newer one changes nothing:', () => {
  test.each<[string, [number, number][], number]>([
    [
      'sequence',
      [
        [1, 2],
        [1, 1],
      ],
      1,
    ],
    [
      'attempt',
      [
        [2, 1],
        [1, 1],
        [1, 9],
      ],
      1,
    ],
    [
      'and a newer one after an older one does',
      [
        [1, 1],
        [1, 2],
        [2, 1],
        [3, 1],
      ],
      4,
    ],
  ])('%s', async (_, order, revisions) => {
    const decision = await start();
    for (const [attempt, sequence] of order) {
      await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', attempt, sequence));
      await settled(decision);
    }
    const made = await decisions(decision, 'd-1');
    expect(made.map(({ revision, supersedes }) => [revision, supersedes])).toEqual(
      Array.from({ length: revisions }, (__, n) => [n + 1, n === 0 ? null : n]),
    );
  });
});

describe('past the deadline, with nothing heard of a result,', () => {
  const past = { requested_at: Date.UTC(2026, 0, 1), deadline_at: Date.UTC(2026, 0, 1) + 600_000 };

  test('the transfer is held, and a result that comes late supersedes the hold', async () => {
    const decision = await start();
    await publishTo(
      decision.pipeline,
      'screenings.requested',
      requested('d-1', past),
      requested('d-2'),
      requested('w-1', { ...past, kind: 'withdrawal' }),
    );
    await vi.waitFor(async () => expect(await decisions(decision, 'd-1')).toHaveLength(1), { timeout: 10_000 });
    await vi.waitFor(async () => expect(await decisions(decision, 'w-1')).toHaveLength(1), { timeout: 10_000 });
    expect(await decisions(decision, 'd-1')).toMatchObject([
      {
        action: 'review',
        reason_codes: ['DEADLINE_PASSED', 'PRICE_UNAVAILABLE'],
        rule: 'deposit.UNAVAILABLE',
        outcome: 'UNAVAILABLE',
        score: null,
        risk_level: null,
        requested_at: past.requested_at,
        transfer: requested('d-1').transfer,
      },
    ]);
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, past));
    await settled(decision);
    expect(await decisions(decision, 'd-1')).toMatchObject([
      { revision: 1, supersedes: null },
      { revision: 2, supersedes: 1, action: 'allow' },
    ]);
    expect(await decisions(decision, 'd-2')).toEqual([]);
  });

  test('scoring’s own hold adds nothing, and the result after it does', async () => {
    const decision = await start();
    await publishTo(decision.pipeline, 'screenings.requested', requested('d-1', past));
    await vi.waitFor(async () => expect(await decisions(decision, 'd-1')).toHaveLength(1), { timeout: 10_000 });
    await publishTo(decision.pipeline, 'screenings.scored', unavailable('d-1', 1, 1, ['DEADLINE_PASSED']));
    await settled(decision);
    expect(await brief(decision, 'd-1')).toEqual(['1 review DEADLINE_PASSED']);
    await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 2, level('High', 80)));
    await settled(decision);
    expect(await brief(decision, 'd-1')).toEqual(['1 review DEADLINE_PASSED', '2 review LEVEL_HIGH']);
  });

  test('it is held at two replicas once', async () => {
    const replicas = [await start(), await start()] as const;
    const ids = Array.from({ length: 60 }, (_, n) => `d-${n}`);
    await publishTo(replicas[0].pipeline, 'screenings.requested', ...ids.map((id) => requested(id, past)));
    await settled(replicas[0]);
    await vi.waitFor(
      async () => expect((await stack.db.pool.query('SELECT FROM decision.screenings WHERE revision = 0')).rowCount).toBe(0),
      { timeout: 10_000 },
    );
    await Promise.all(replicas.map(settled));
    const { rows } = await stack.db.pool.query(
      'SELECT cause, count(*)::int AS count, max(revision) AS revision FROM decision.decisions GROUP BY cause',
    );
    expect(rows).toEqual([{ cause: 'deadline', count: 60, revision: 1 }]);
  });

  test('it is held when it is time by the database, whatever the clock of the replica says', async () => {
    const clock = new ManualClock(Date.now() + 86_400_000);
    const pipeline = await stack.pipeline();
    // Only the service's clock is a day ahead; the log uses the machine's.
    const other = await stack.service(() => startDecision({ ...pipeline, clock }, { policyFile: '', reviewSingleBelowUsd: '' }), {
      role: decisionRole,
    });
    const now = Date.now();
    await publishTo(pipeline, 'screenings.requested', requested('d-1', { requested_at: now, deadline_at: now + 3_600_000 }));
    await settled(other);
    for (let look = 0; look < 3; look += 1) {
      await vi.waitFor(() => expect(clock.sleeping).toBeGreaterThan(0));
      await clock.advance(1_000);
      await settled(other);
    }
    expect(await decisions(other, 'd-1')).toEqual([]);
    await pipeline.pool.query(`UPDATE decision.screenings SET deadline_at = now() - interval '3 seconds'`);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await brief(other, 'd-1')).toEqual(['1 review DEADLINE_PASSED']);
    });
    await other.stop();
  });
});

test('what could not be learnt changes no decision that there is', async () => {
  const decision = await start();
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    scored('d-1', 1, 1, level('Severe', 95)),
    unavailable('d-1', 2, 1),
    unavailable('d-2', 1, 1),
    unavailable('d-2', 1, 2, ['BUDGET_EXHAUSTED']),
  );
  await settled(decision);
  expect([await brief(decision, 'd-1'), await brief(decision, 'd-2')]).toEqual([
    ['1 block LEVEL_SEVERE'],
    ['1 review UPSTREAM_UNAVAILABLE'],
  ]);
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 2, 2), scored('d-2', 1, 3));
  await settled(decision);
  expect([await brief(decision, 'd-1'), await brief(decision, 'd-2')]).toEqual([
    ['1 block LEVEL_SEVERE', '2 allow LEVEL_LOW'],
    ['1 review UPSTREAM_UNAVAILABLE', '2 allow LEVEL_LOW'],
  ]);
});

test('a local sanctions match blocks whatever the result, and its end releases', async () => {
  const decision = await start();
  const match = { reasons: ['LOCAL_SANCTIONS_MATCH'] };
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    unavailable('d-1', 1, 1, match.reasons),
    scored('d-1', 1, 2, match),
    scored('d-1', 2, 1, { ...level('Severe', 95), ...match }),
    scored('d-1', 3, 1),
  );
  await settled(decision);
  const made = await decisions(decision, 'd-1');
  expect(made.map(({ action, reason_codes, rule }) => `${action} ${reason_codes.join(' ')} ${rule}`)).toEqual([
    'block LOCAL_SANCTIONS_MATCH sanctioned_exposure.deposit',
    'block LOCAL_SANCTIONS_MATCH LEVEL_LOW sanctioned_exposure.deposit',
    'block LOCAL_SANCTIONS_MATCH LEVEL_SEVERE sanctioned_exposure.deposit',
    'allow LEVEL_LOW deposit.Low',
  ]);
});

test('a re-screening that brings no level changes nothing; one that brings a level, no data or a local match does', async () => {
  const decision = await start();
  const without = (outcome: 'UNSUPPORTED' | 'INVALID' | 'NO_DATA' | 'UNAVAILABLE', reasons: string[] = []) => ({
    outcome,
    reasons,
    score: null,
    risk_level: null,
  });
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    scored('d-1'),
    scored('d-1', 2, 1, without('UNSUPPORTED')),
    scored('d-1', 3, 1, without('INVALID')),
    scored('d-1', 4, 1, without('UNAVAILABLE', ['DEADLINE_PASSED'])),
    scored('d-1', 5, 1, { risk_level: null }),
    scored('d-1', 6, 1, without('UNAVAILABLE', ['LOCAL_SANCTIONS_MATCH'])),
    scored('d-1', 6, 2, level('High', 75)),
    scored('d-1', 7, 1, without('NO_DATA')),
  );
  await settled(decision);
  expect(await brief(decision, 'd-1')).toEqual([
    '1 allow LEVEL_LOW',
    '2 block LOCAL_SANCTIONS_MATCH',
    '3 review LEVEL_HIGH',
    '4 review NO_DATA',
  ]);
});

test('a person’s decision is never superseded by a result', async () => {
  const decision = await start();
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, level('High', 80)));
  await settled(decision);
  await stack.db.pool.query('UPDATE decision.screenings SET by_person = true');
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 2, 1));
  await settled(decision);
  expect(await brief(decision, 'd-1')).toEqual(['1 review LEVEL_HIGH']);
});

test('what no database could hold, or contradicts itself, goes to the dead letters with its bytes, and the rest goes on', async () => {
  const decision = await start();
  const { pipeline } = decision;
  const transfer = { ...requested('d-1').transfer, user_id: 'a\0b' };
  const broken = [
    requested('d-1', { screening_id: 'none' }),
    requested('d-1', { screening_id: screeningId('deposit', 'd-2') }),
    requested('d-1', { kind: 'withdrawal', transfer: requested('d-1').transfer }),
    requested('d-1', { transfer }),
    requested('d-1', { deadline_at: 253_402_300_800_000 }),
    requested('d-1', { requested_at: -62_135_596_800_001 }),
    requested('d-1', { attempt: 0 }),
  ].map((record) => pipeline.codec.encode('screenings.requested', record));
  await publishTo(pipeline, 'screenings.requested', ...broken, Buffer.from('not a record'), requested('d-3'));
  await publishTo(pipeline, 'screenings.scored', scored('d-1', 1, 0), scored('d-3'));
  await settled(decision);
  const dead = await deadLetters(pipeline, 'screenings.requested');
  expect(new Set(dead.map(({ value }) => value.toString('hex')))).toEqual(
    new Set([...broken, Buffer.from('not a record')].map((value) => value.toString('hex'))),
  );
  expect(new Set(dead.map(({ headers }) => headers['weir_reason']))).toEqual(
    new Set(['INVALID_SCREENING_ID', 'INVALID_SCREENING', 'UNDECODABLE']),
  );
  expect(await deadLetters(pipeline, 'screenings.scored')).toHaveLength(1);
  expect(await brief(decision, 'd-3')).toEqual(['1 allow LEVEL_LOW']);
});

test('a forged result about another subject than its transfer’s, or than the transfer that is decided on, goes to the dead letters', async () => {
  const decision = await start();
  const { pipeline } = decision;
  const clean = `0x${'c'.repeat(40)}`;
  await publishTo(pipeline, 'screenings.requested', requested('d-1', { subject: clean }), requested('d-2'));
  const severe = { score: 95, risk_level: 'Severe' } as const;
  await publishTo(pipeline, 'screenings.scored', scored('d-2', 1, 1, severe));
  const transfer = { ...requested('d-2').transfer, from_address: clean };
  const forged = [scored('d-2', 2, 1, { subject: clean }), scored('d-2', 3, 1, { subject: clean, transfer })];
  await publishTo(pipeline, 'screenings.scored', ...forged, scored('d-3'));
  await settled(decision);
  expect(await brief(decision, 'd-1')).toEqual([]);
  expect(await brief(decision, 'd-2')).toHaveLength(1);
  expect(await brief(decision, 'd-2')).not.toContainEqual(expect.stringContaining('allow'));
  expect(await brief(decision, 'd-3')).toEqual(['1 allow LEVEL_LOW']);
  expect((await deadLetters(pipeline, 'screenings.requested')).map(({ headers }) => headers['weir_reason'])).toEqual(['INVALID_SUBJECT']);
  expect(new Set((await deadLetters(pipeline, 'screenings.scored')).map(({ headers }) => headers['weir_reason']))).toEqual(
    new Set(['CONFLICTING_TRANSFER', 'INVALID_SUBJECT']),
  );
});

test('a crash after the transaction loses no decision: the next start publishes the stored bytes', async () => {
  const pipeline = await stack.pipeline();
  const log = Object.assign(Object.create(pipeline.log) as typeof pipeline.log, {
    subscribe: (options: never) => pipeline.log.subscribe(options),
    lag: (group: string) => pipeline.log.lag(group),
    publish: () => Promise.reject(new Error('gone')),
    append: undefined,
  });
  const crashing = await stack.service(() => startDecision({ ...pipeline, log }, { policyFile: '', reviewSingleBelowUsd: '' }), {
    role: decisionRole,
  });
  await publishTo(pipeline, 'screenings.scored', scored('d-1'));
  await vi.waitFor(async () => expect((await stack.db.pool.query('SELECT FROM decision.decisions')).rowCount).toBe(1));
  await crashing.stop();
  expect(await readTopic(pipeline, 'screenings.decided')).toEqual([]);
  const next = await start(withLogElsewhere);
  await settled(next);
  expect(await brief(next, 'd-1')).toEqual(['1 allow LEVEL_LOW']);
  const { rows } = await stack.db.pool.query<{ value: Buffer }>("SELECT value FROM outbox.events WHERE topic = 'screenings.decided'");
  expect((await readTopic(next.pipeline, 'screenings.decided'))[0]?.record.value).toEqual(rows[0]?.value);
});

test('a policy that cannot be used is refused at the start', async () => {
  await expect(
    stack.service((pipeline) => startDecision(pipeline, { policyFile: '/nowhere/policy.yaml', reviewSingleBelowUsd: '' }), {
      role: decisionRole,
    }),
  ).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('setting WEIR_POLICY_FILE is wrong') as string,
  });
});
