import type { HistoryWindow } from '@weir/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Evidence, type Policy, parsePolicy } from './index.ts';

const action = fc.constantFrom('block', 'review', 'allow');
const held = fc.constantFrom('block', 'review');
const usd = fc
  .tuple(fc.integer({ min: 1, max: 3_000 }), fc.nat({ max: 99 }))
  .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, '0')}`);
const cell = fc.oneof(action, fc.record({ review_from_usd: usd, below: action, unknown_value: held }));
const table = fc.record({
  Severe: cell,
  High: cell,
  Moderate: cell,
  Low: cell,
  NO_DATA: cell.filter((value) => value !== 'allow'),
  UNAVAILABLE: held,
  UNSUPPORTED: held,
  INVALID: held,
});
/** Some match, some do not, some fail on a missing value. */
const condition = fc.constantFrom(
  'transfer.kind == "deposit"',
  'transfer.usd_value >= 1000',
  'has(transfer.usd_value) && transfer.usd_value < decimal("0.5")',
  'result.outcome != "SCORED"',
  'result.risk_level in ["Low", "Moderate"]',
  'result.score > 50',
  'result.risk_detail.exists(e, e.risk_type == "mixer")',
  'history.day.count > 2',
  'history.day.usd > 100 || result.outcome == "NO_DATA"',
  'size(result.reasons) / size(result.risk_detail) > 0',
  'has(transfer.user_id) || true',
);
const rules = fc
  .array(
    fc.oneof(
      fc.record({ when: condition, action: held }),
      fc.record({ when: condition, action: fc.constantFrom('review', 'allow'), may_relax: fc.constant(true) }),
    ),
    { maxLength: 5 },
  )
  .map((all) => all.map((rule, n) => ({ name: `rule-${n}`, ...rule })));
const policies: fc.Arbitrary<Policy> = fc
  .record({
    version: fc.constant(1),
    sanctioned_exposure: fc.record({ deposit: held, withdrawal: held }),
    deposit: table,
    withdrawal: table,
    history: fc.constant({ day: { of: 'user', window: '24h' } }),
    rules,
  })
  .map((file) => parsePolicy(JSON.stringify(file)));

const evidences: fc.Arbitrary<Evidence> = fc.record({
  kind: fc.constantFrom('deposit', 'withdrawal'),
  outcome: fc.constantFrom('SCORED', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'),
  risk_level: fc.constantFrom(null, 'Low', 'Moderate', 'High', 'Severe'),
  risk_detail: fc.array(
    fc.record({
      risk_type: fc.constantFrom('sanctioned_entity', 'mixer', ''),
      exposure_type: fc.constantFrom('direct', 'indirect'),
      hop_num: fc.integer({ min: 0, max: 8 }),
    }),
    { maxLength: 3 },
  ),
  reasons: fc.array(fc.constantFrom('DEADLINE_PASSED', 'BUDGET_EXHAUSTED'), { maxLength: 2 }),
  usd_value: fc.oneof(fc.constant(null), usd, fc.string({ unit: 'binary', maxLength: 6 })),
  score: fc.constantFrom(null, 3, 60),
  history: fc.constantFrom<HistoryWindow[][]>(
    [],
    [{ of: 'user', kind: null, window_ms: 86_400_000, count: 3, known_usd: '150.5', unknown_count: 0 }],
    [{ of: 'user', kind: null, window_ms: 86_400_000, count: 1, known_usd: '0', unknown_count: 1 }],
  ),
});
const withoutRules = (policy: Policy): Policy => ({ ...policy, rules: [] });

const strictness = { allow: 0, review: 1, block: 2 } as const;

/** A failure prints its seed. */
const check = (holds: (policy: Policy, evidence: Evidence) => void): void =>
  fc.assert(fc.property(policies, evidences, holds), { numRuns: 1_000 });

test('allow follows from a level, or from no data below a value that the policy names; never from anything else', () =>
  check((policy, evidence) => {
    const verdict = decide(policy, evidence);
    if (verdict.action !== 'allow') return;
    if (evidence.outcome === 'NO_DATA') expect(verdict.rule).toBe(`${evidence.kind}.NO_DATA.below`);
    else expect(evidence).toMatchObject({ outcome: 'SCORED', risk_level: expect.any(String) as string });
  }));

test('there is always a reason, and a line of the policy', () =>
  check((policy, evidence) => {
    const { reason_codes, rule } = decide(policy, evidence);
    expect(reason_codes.length).toBeGreaterThan(0);
    expect(reason_codes.every((code) => /^([A-Z_]+|RULE(_FAILED)?:rule-\d)$/.test(code))).toBe(true);
    if (rule.startsWith('rules.')) {
      expect(reason_codes[0]).toBe(`RULE:${rule.slice('rules.'.length)}`);
      expect(policy.rules?.some(({ name }) => `rules.${name}` === rule)).toBe(true);
      return;
    }
    const line = rule.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key] ?? 'missing', policy);
    expect(line).not.toBe('missing');
    expect(rule.startsWith(`${evidence.kind}.`) || rule === `sanctioned_exposure.${evidence.kind}`).toBe(true);
  }));

test('the same in gives the same out, and nothing that went in is changed', () =>
  check((policy, evidence) => {
    const before = structuredClone({ policy, evidence });
    const first = decide(policy, evidence);
    expect(decide(structuredClone(policy), structuredClone(evidence))).toEqual(first);
    expect({ policy, evidence }).toEqual(before);
  }));

test('an exposure to a sanctioned entity never makes a decision milder than it or than the table without it', () =>
  check((given, evidence) => {
    const policy = withoutRules(given);
    const risk_detail = [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 } as const];
    const without = decide(policy, { ...evidence, risk_detail: [] });
    const verdict = decide(policy, { ...evidence, risk_detail });
    const line = strictness[policy.sanctioned_exposure[evidence.kind]];
    expect(strictness[verdict.action]).toBe(Math.max(line, strictness[without.action]));
    expect(verdict.reason_codes).toEqual(['SANCTIONED_EXPOSURE', ...without.reason_codes]);
  }));

test('a local sanctions match does what such an exposure does, with any outcome, and no rule relaxes it', () =>
  check((policy, evidence) => {
    const line = strictness[policy.sanctioned_exposure[evidence.kind]];
    const matched = { ...evidence, reasons: ['LOCAL_SANCTIONS_MATCH', ...evidence.reasons] };
    expect(strictness[decide(policy, matched).action]).toBeGreaterThanOrEqual(line);
    const byTable = withoutRules(policy);
    const exposed = [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 } as const];
    const verdict = decide(byTable, matched);
    expect(verdict).toMatchObject({ action: decide(byTable, { ...evidence, risk_detail: exposed }).action });
    expect(verdict.reason_codes[0]).toBe('LOCAL_SANCTIONS_MATCH');
    expect(verdict.reason_codes.filter((code) => code === 'LOCAL_SANCTIONS_MATCH')).toHaveLength(1);
  }));

test('a known price never makes a decision on a declared value less strict, and an undervalued transfer is never allowed', () => {
  let contradicted = 0;
  check((policy, evidence) => {
    if (evidence.usd_value === null) return;
    const without = decide(policy, { ...evidence, transfer: { amount: '2' } });
    for (const price of ['0.01', '1', '700', '5000000']) {
      const known = { known_usd_price: price, price_day: '2026-01-30', requested_at: Date.UTC(2026, 0, 31) };
      const verdict = decide(policy, { ...evidence, transfer: { amount: '2' }, ...known });
      expect(strictness[verdict.action]).toBeGreaterThanOrEqual(strictness[without.action]);
      if (!verdict.reason_codes.includes('USD_VALUE_CONTRADICTED')) continue;
      contradicted += 1;
      expect(verdict.action).not.toBe('allow');
    }
  });
  expect(contradicted).toBeGreaterThan(100);
});

test('while the price is unavailable nothing is allowed that an unknown value would hold', () =>
  check((given, evidence) => {
    // Rules can count reasons.
    const policy = withoutRules(given);
    const verdict = decide(policy, { ...evidence, reasons: [...evidence.reasons, 'PRICE_UNAVAILABLE'] });
    for (const usd_value of [evidence.usd_value, null])
      expect(strictness[verdict.action]).toBeGreaterThanOrEqual(strictness[decide(policy, { ...evidence, usd_value }).action]);
    const isBlocked = decide(policy, evidence).action === 'block';
    expect(verdict.reason_codes.filter((code) => code === 'PRICE_UNAVAILABLE')).toHaveLength(isBlocked ? 0 : 1);
  }));

describe('rules, whatever they say,', () => {
  test('allow nothing without a level that the table does not, and nothing that deals with a sanctioned entity', () =>
    check((policy, evidence) => {
      const sanctioned = { risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 } as const;
      const direct = decide(policy, { ...evidence, risk_detail: [sanctioned] });
      expect(strictness[direct.action]).toBeGreaterThanOrEqual(strictness[policy.sanctioned_exposure[evidence.kind]]);
      const withoutLevel = { ...evidence, risk_level: null };
      if (decide(withoutRules(policy), withoutLevel).action !== 'allow') expect(decide(policy, withoutLevel).action).not.toBe('allow');
    }));

  test('are milder than the table only where one may relax and the transfer has evidence', () =>
    check((policy, evidence) => {
      const verdict = decide(policy, evidence);
      const byTable = decide(withoutRules(policy), evidence);
      if (strictness[verdict.action] >= strictness[byTable.action]) return;
      expect(evidence.outcome).toBe('SCORED');
      expect(byTable.reason_codes).not.toContain('SANCTIONED_EXPOSURE');
      const by = policy.rules?.find(({ name }) => verdict.rule === `rules.${name}`);
      // The deciding line relaxes, or is a stricter rule beside one that does.
      expect(by).toBeDefined();
      expect(policy.rules?.some(({ name, may_relax }) => may_relax === true && verdict.reason_codes.includes(`RULE:${name}`))).toBe(true);
    }));

  test('that cannot be evaluated hold the transfer and are named', () =>
    check((policy, evidence) => {
      const broken = { name: 'broken', when: 'history.day.count > 0', action: 'block' as const };
      const verdict = decide({ ...policy, rules: [...(policy.rules ?? []), broken] }, { ...evidence, history: [] });
      expect(verdict.action).not.toBe('allow');
      expect(verdict.reason_codes).toEqual(expect.arrayContaining(['RULE:broken', 'RULE_FAILED:broken']));
    }));
});
