import { systemClock } from '@weir/clock';
import type { ExposureType, Kind, RiskLevel } from '@weir/contracts';
import { parsePolicy, readPolicy } from '@weir/policy';
import { transaction } from '@weir/postgres';
import { Outbox } from '@weir/service-kit';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../test/support/stack/random.ts';
import type { Cause } from './causes.ts';
import { decideBatch } from './decide-batch.ts';
import { activatePolicy, backtest, replay, shadowPolicy, startDecision, type StoredDecision } from './index.ts';
import { PoliciesInForce } from './policies.ts';
import { requested, scored } from '@weir/contracts/testing';
import { decisionRole, recordPublished } from './role.testing.ts';

const total = 100_000;
const batchSize = 500;
const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_260_101);
const start = Date.UTC(2026, 0, 1);
const since = { since: new Date(0) };

const defaults = readPolicy();
const withRules = `${defaults}history:
  user_day: { of: user, window: 24h }
  pair_week: { of: user_counterparty, kind: withdrawal, window: 7d }
rules:
  - { name: many, when: history.user_day.count > 8, action: review }
  - { name: large-to-one, when: 'transfer.kind == "withdrawal" && history.pair_week.usd > decimal("20000.5")', action: review }
  - { name: mixers, when: 'result.risk_detail.exists(e, e.risk_type == "mixer" && e.percent > 1.5)', action: block }
  - { name: trusted, when: 'transfer.user_id == "u-1"', action: allow, may_relax: true }
`;

let stack: TestStack;
beforeAll(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
  await generate();
}, 900_000);
afterAll(() => stack.close());

/** Results of every outcome, of four hundred users, decided by real transactions under changing policies. */
async function generate(): Promise<void> {
  process.stdout.write(`seed ${seed}\n`);
  const random = seededRandom(seed);
  const decision = await stack.service((opened) => startDecision(opened, { policyFile: '', reviewSingleBelowUsd: '' }), {
    role: decisionRole,
  });
  const { log, codec } = decision.pipeline;
  await decision.stop();
  const db = stack.db.openPool();
  const outbox = new Outbox({ pool: db, log, codec, service: 'decision' });
  const inForce = new PoliciesInForce(() => undefined);
  for (let at = 0; at < total; at += batchSize) {
    if (at === total * 0.2) await shadowPolicy(db, withRules);
    if (at === total * 0.4) await activatePolicy(db, withRules);
    if (at === total * 0.8) await shadowPolicy(db, null);
    const causes = Array.from({ length: batchSize }, (_, n) => cause(at + n, random));
    const { made } = await transaction(db, async (tx) => {
      const decided = await decideBatch(tx, { outbox, inForce, reviews: { reviewSingleBelowUsd: '' } }, causes, start + at * 10);
      await outbox.store(tx, decided.events);
      return decided;
    });
    expect(made).toHaveLength(batchSize);
  }
  await recordPublished(db);
  await db.query('ANALYZE decision.decisions, decision.screenings, audit.entries');
}

function cause(n: number, random: () => number): Cause {
  const pick = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  // One in ten is a second result of a screening.
  const isSecond = n % 10 === 9 && n >= batchSize;
  const of = isSecond ? n - batchSize - 1 : n;
  const kind: Kind = of % 3 === 0 ? 'withdrawal' : 'deposit';
  const base = requested(`t-${of}`, { kind });
  const transfer = {
    ...base.transfer,
    user_id: pick(null, ...Array.from({ length: 9 }, () => `u-${Math.floor(random() * 400)}`)),
    to_address: `0x${of % 50}`,
    usd_value: pick(null, '5', '999.99', '1000', `${Math.floor(random() * 10_000)}.${Math.floor(random() * 1e9)}`),
    amount: `${Math.floor(random() * 1_000)}.000000000000000001`,
    occurred_at: start + of * 30_000,
  };
  const more = { kind, screening_id: base.screening_id, requested_at: start + of * 30_000, transfer };
  if (!isSecond && n % 17 === 0) return { kind: 'deadline', event: { ...base, requested_at: more.requested_at, transfer } };
  const outcome = isSecond ? 'SCORED' : pick('SCORED', 'SCORED', 'SCORED', 'SCORED', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID');
  const risk_level: RiskLevel | null = outcome === 'SCORED' ? pick('Low', 'Low', 'Moderate', 'High', 'Severe') : null;
  const risk_detail = Array.from({ length: Math.floor(random() * 3) }, () => ({
    entity: pick('a mixer', 'Ünïcode 混币 🌀'),
    risk_type: pick('mixer', 'sanctioned_entity', 'gambling'),
    exposure_type: pick<ExposureType>('direct', 'indirect'),
    hop_num: 1 + Math.floor(random() * 5),
    volume_usd: pick(null, random() * 1e6),
    percent: pick(null, random() * 3, Number.NaN),
    side: pick(null, 'in' as const, 'out' as const),
  }));
  const match = n % 13 === 0 ? ['LOCAL_SANCTIONS_MATCH'] : [];
  const reasons = [...match, ...(outcome === 'UNAVAILABLE' ? [pick('BUDGET_EXHAUSTED', 'UPSTREAM_UNREADABLE')] : [])];
  return {
    kind: 'scored',
    event: scored(`t-${of}`, 1, isSecond ? 2 : 1, {
      ...more,
      outcome,
      risk_level,
      risk_detail,
      reasons,
      score: risk_level === null ? null : 42,
    }),
  };
}

test('100,000 stored results replay to the bytes that were stored and published', async () => {
  const { codec } = await stack.pipeline();
  const different: StoredDecision[] = [];
  const began = systemClock.monotonic();
  const result = await replay(stack.db.pool, codec, since, { different: (stored) => void different.push(stored) });
  process.stdout.write(`replay: ${Math.round((total / (systemClock.monotonic() - began)) * 1_000)} decisions a second, bytes compared\n`);
  expect(different.slice(0, 3)).toEqual([]);
  expect(result).toEqual({ count: total, identical: total, published: total });
  // Events are not kept for ever; the columns give the same bytes.
  const { rows } = await stack.db.pool.query(
    `SELECT count(DISTINCT policy_hash)::int AS policies, count(DISTINCT shadow)::int AS shadows, count(*) FILTER (WHERE revision > 1)::int AS later,
       count(*) FILTER (WHERE rule LIKE 'rules.%')::int AS by_rule, count(*) FILTER (WHERE reason_codes::text LIKE '%RULE_FAILED%')::int AS failed
     FROM decision.decisions`,
  );
  expect(rows[0]).toMatchObject({ policies: 2, shadows: 3 });
  for (const least of ['later', 'by_rule', 'failed']) expect(rows[0]?.[least]).toBeGreaterThan(1_000);
}, 300_000);

test('a decision that was tampered with is found', async () => {
  const { codec } = await stack.pipeline();
  const { rows } = await stack.db.pool.query<{ screening_id: string }>(
    `UPDATE decision.decisions SET evidence = (evidence::jsonb || '{"outcome": "SCORED", "risk_level": "Low", "risk_detail": []}')::json
     WHERE (screening_id, revision) = (SELECT screening_id, revision FROM decision.decisions WHERE rule = 'deposit.INVALID' LIMIT 1) RETURNING screening_id`,
  );
  const different: string[] = [];
  await replay(stack.db.pool, codec, { ...since, kind: 'deposit' }, { different: ({ screening_id }) => void different.push(screening_id) });
  expect(different).toEqual([rows[0]?.screening_id]);
}, 300_000);

test('a backtest shows each screening once, and its rate stands next to that of reading the rows', async () => {
  const { pool } = stack.db;
  const result = await backtest(pool, systemClock, parsePolicy(withRules.replace('percent > 1.5', 'percent > 0.5')), since);
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM decision.screenings');
  expect(result.count).toBe(rows[0]?.count);
  expect([...result.cells.values()].reduce((sum, n) => sum + n, 0)).toBe(result.count);
  // Decisions before the rules have no history; it is counted now.
  expect(result.recounted).toBeGreaterThan(1_000);
  expect(result.cells.get('allow:block')).toBeGreaterThan(100);
  const again = await backtest(pool, systemClock, parsePolicy(defaults), since);
  const rate = (count: number, seconds: number) => `${Math.round(count / seconds)} a second`;
  for (const [name, { count, seconds, readSeconds }] of Object.entries({ 'with history counted anew': result, 'table alone': again }))
    process.stdout.write(`backtest, ${name}: ${rate(count, seconds)}; reading the rows alone: ${rate(count, readSeconds)}\n`);
}, 300_000);
