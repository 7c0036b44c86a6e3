import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, type Evidence, type Policy, parsePolicy } from './index.ts';

const action = fc.constantFrom('block', 'review', 'allow');
const held = fc.constantFrom('block', 'review');
const usd = fc.tuple(fc.nat({ max: 3_000 }), fc.nat({ max: 99 })).map(([whole, cents]) => `${whole}.${String(cents).padStart(2, '0')}`);
const cell = fc.oneof(action, fc.record({ review_from_usd: usd, below: action, unknown_value: held }));
const table = fc.record({
  Severe: cell,
  High: cell,
  Moderate: cell,
  Low: cell,
  NO_DATA: cell,
  UNAVAILABLE: held,
  UNSUPPORTED: held,
  INVALID: held,
});
const policies: fc.Arbitrary<Policy> = fc
  .record({
    version: fc.constant(1),
    sanctioned_exposure: fc.record({ deposit: action, withdrawal: action }),
    deposit: table,
    withdrawal: table,
  })
  .map((file) => parsePolicy(JSON.stringify(file)));

const evidences: fc.Arbitrary<Evidence> = fc.record({
  kind: fc.constantFrom('deposit', 'withdrawal'),
  outcome: fc.constantFrom('SCORED', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'),
  riskLevel: fc.constantFrom(null, 'Low', 'Moderate', 'High', 'Severe'),
  riskDetail: fc.array(
    fc.record({
      risk_type: fc.constantFrom('sanctioned_entity', 'mixer', ''),
      exposure_type: fc.constantFrom('direct', 'indirect'),
      hop_num: fc.integer({ min: 0, max: 8 }),
    }),
    { maxLength: 3 },
  ),
  reasons: fc.array(fc.constantFrom('DEADLINE_PASSED', 'BUDGET_EXHAUSTED'), { maxLength: 2 }),
  usdValue: fc.oneof(fc.constant(null), usd, fc.string({ unit: 'binary', maxLength: 6 })),
});

const strictness = { allow: 0, review: 1, block: 2 } as const;

/** A failure prints the seed that repeats it. */
const check = (holds: (policy: Policy, evidence: Evidence) => void): void =>
  fc.assert(fc.property(policies, evidences, holds), { numRuns: 1_000, verbose: 1 });

test('allow follows from a level or from no data, never from anything else', () =>
  check((policy, evidence) => {
    if (decide(policy, evidence).action !== 'allow') return;
    expect(['SCORED', 'NO_DATA']).toContain(evidence.outcome);
    if (evidence.outcome === 'SCORED') expect(evidence.riskLevel).not.toBeNull();
  }));

test('there is always a reason, and a line of the policy', () =>
  check((policy, evidence) => {
    const { reasonCodes, rule } = decide(policy, evidence);
    expect(reasonCodes.length).toBeGreaterThan(0);
    expect(reasonCodes.every((code) => /^[A-Z_]+$/.test(code))).toBe(true);
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

test('an exposure to a sanctioned entity never makes a decision milder than it or than the decision without it', () =>
  check((policy, evidence) => {
    const riskDetail = [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 } as const];
    const without = decide(policy, { ...evidence, riskDetail: [] });
    const verdict = decide(policy, { ...evidence, riskDetail });
    const line = strictness[policy.sanctioned_exposure[evidence.kind]];
    expect(strictness[verdict.action]).toBe(Math.max(line, strictness[without.action]));
    expect(verdict.reasonCodes).toEqual(['SANCTIONED_EXPOSURE', ...without.reasonCodes]);
  }));
