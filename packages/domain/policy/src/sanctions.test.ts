import type { Kind } from '@weir/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Evidence, loadPolicy, parsePolicy, type Policy, readPolicy } from './index.ts';

type Exposure = Evidence['risk_detail'][number];

const policy = loadPolicy();
const kinds: readonly Kind[] = ['deposit', 'withdrawal'];
const sanctioned: Exposure = { risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 };
const dust: Exposure = { ...sanctioned, side: 'in', volume_usd: 0.5 };
const low: Omit<Evidence, 'kind'> = { outcome: 'SCORED', risk_level: 'Low', risk_detail: [], reasons: [], usd_value: '2000' };
const strictness = { allow: 0, review: 1, block: 2 } as const;

describe('an exposure to a sanctioned entity', () => {
  test.each<[string, readonly Exposure[], string]>([
    ['dust received', [dust], 'review'],
    ['received, just below the limit', [{ ...dust, volume_usd: 999.99 }], 'review'],
    ['received, at the limit', [{ ...dust, volume_usd: 1_000 }], 'block'],
    ['250 payments of 0.5 USD', [{ ...dust, volume_usd: 125 }], 'review'],
    ['dust of several, together above the limit', [dust, { ...dust, volume_usd: 999.6 }], 'block'],
    ['dust of several, together below it', [dust, { ...dust, volume_usd: 990 }], 'review'],
    ['dust paid', [{ ...dust, side: 'out' }], 'block'],
    ['dust received and paid', [dust, { ...dust, side: 'out' }], 'block'],
    ['of unknown side', [{ ...dust, side: null }], 'block'],
    ['without a side, as of another risk API', [{ ...sanctioned, volume_usd: 0.5 }], 'block'],
    ['received, of unknown value', [{ ...dust, volume_usd: null }], 'review'],
    ['received, of no known value', [{ ...dust, volume_usd: 0 }], 'review'],
    ['received, without a value', [{ ...sanctioned, side: 'in' }], 'review'],
    [
      'received, of unknown value, beside a value at the limit',
      [
        { ...dust, volume_usd: 0 },
        { ...dust, volume_usd: 1_000 },
      ],
      'block',
    ],
    ['paid, of unknown value', [{ ...dust, side: 'out', volume_usd: null }], 'block'],
    ['dust received, further away', [{ ...dust, exposure_type: 'indirect', hop_num: 2 }], 'allow'],
  ])('%s', (_, risk_detail, action) => {
    for (const kind of kinds) expect(decide(policy, { ...low, kind, risk_detail }).action).toBe(action);
  });

  test('of dust names its line, and no rule allows it', () => {
    const relaxing = parsePolicy(`${readPolicy()}rules: [{ name: all, when: transfer.kind == "deposit", action: allow, may_relax: true }]`);
    for (const rules of [policy, relaxing]) {
      const verdict = decide(rules, { ...low, kind: 'deposit', risk_detail: [dust] });
      expect(verdict).toMatchObject({ action: 'review', rule: 'sanctioned_dust_usd' });
      expect(verdict.reason_codes).toContain('SANCTIONED_EXPOSURE');
    }
  });

  test('of dust leaves a stricter line of the level', () => {
    const verdict = decide(policy, { ...low, kind: 'deposit', risk_level: 'Severe', risk_detail: [dust] });
    expect(verdict).toEqual({ action: 'block', rule: 'deposit.Severe', reason_codes: ['SANCTIONED_EXPOSURE', 'LEVEL_SEVERE'] });
  });

  test('of more than dust names the line of the sum', () => {
    const verdict = decide(policy, { ...low, kind: 'deposit', risk_detail: [{ ...dust, volume_usd: 125 }] });
    expect(verdict).toMatchObject({ action: 'review', rule: 'sanctioned_received_usd' });
  });

  test('of dust blocks by a policy without a limit', () => {
    const without = (line: string): Policy => parsePolicy(readPolicy().replace(line, ''));
    const deposit = (volume_usd: number) => ({ ...low, kind: 'deposit' as const, risk_detail: [{ ...dust, volume_usd }] });
    const total = without("sanctioned_received_usd: '1000'");
    expect([decide(total, deposit(99)).action, decide(total, deposit(100)).action]).toEqual(['review', 'block']);
    const both = parsePolicy(readPolicy().replace(/^sanctioned_(dust|received)_usd.*$/gm, ''));
    expect([decide(both, deposit(0.5)).action, decide(both, deposit(0)).action]).toEqual(['block', 'block']);
  });
});

describe('a local sanctions match', () => {
  const priced = { known_usd_price: '10', price_day: '2026-01-30', requested_at: Date.UTC(2026, 0, 31) };
  const matched: Omit<Evidence, 'kind'> = { ...low, reasons: ['LOCAL_SANCTIONS_MATCH'], usd_value: null };

  test.each<[string, Kind, Partial<Evidence>, string]>([
    ['deposit of dust by a known price', 'deposit', { ...priced, transfer: { amount: '9.99' } }, 'review'],
    ['deposit at the limit', 'deposit', { ...priced, transfer: { amount: '10' } }, 'block'],
    ['deposit of dust, declared as more', 'deposit', { ...priced, transfer: { amount: '1' }, usd_value: '100' }, 'block'],
    ['deposit declared as dust, worth more', 'deposit', { ...priced, transfer: { amount: '500' }, usd_value: '1' }, 'block'],
    ['deposit declared as dust, without a price', 'deposit', { usd_value: '1' }, 'block'],
    ['deposit of dust by a price that is too old', 'deposit', { ...priced, price_day: '2026-01-02', transfer: { amount: '1' } }, 'block'],
    [
      'deposit of dust, and dust paid',
      'deposit',
      { ...priced, transfer: { amount: '1' }, risk_detail: [{ ...dust, side: 'out' }] },
      'block',
    ],
    ['deposit of dust, and dust received', 'deposit', { ...priced, transfer: { amount: '1' }, risk_detail: [dust] }, 'review'],
    ['withdrawal of dust', 'withdrawal', { ...priced, transfer: { amount: '1' } }, 'block'],
  ])('%s', (_, kind, over, action) => {
    expect(decide(policy, { ...matched, kind, ...over }).action).toBe(action);
  });
});

const exposures = fc.array(
  fc.record({
    risk_type: fc.constantFrom('sanctioned_entity', 'mixer'),
    exposure_type: fc.constantFrom('direct' as const, 'indirect' as const),
    hop_num: fc.integer({ min: 1, max: 3 }),
    side: fc.constantFrom('in' as const, 'out' as const, null),
    volume_usd: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 300, noNaN: true })),
  }),
  { maxLength: 4 },
);
const evidences = fc.record({
  kind: fc.constantFrom(...kinds),
  outcome: fc.constantFrom('SCORED' as const, 'NO_DATA' as const, 'UNAVAILABLE' as const),
  risk_level: fc.constantFrom('Low' as const, 'High' as const, 'Severe' as const),
  risk_detail: exposures,
  reasons: fc.constantFrom<string[]>([], ['LOCAL_SANCTIONS_MATCH']),
  usd_value: fc.constantFrom(null, '5', '5000'),
});
const strictOf = (evidence: Evidence): number => strictness[decide(policy, evidence).action];

describe('whatever else is known,', () => {
  const check = (holds: (evidence: Evidence) => void): void => fc.assert(fc.property(evidences, holds), { numRuns: 2_000 });

  test('an absent side, or the other side, never makes a decision milder', () =>
    check((evidence) => {
      evidence.risk_detail.forEach((exposure, at) => {
        for (const over of [{ side: null }, { side: 'out' as const }]) {
          const risk_detail = evidence.risk_detail.with(at, { ...exposure, ...over });
          expect(strictOf({ ...evidence, risk_detail })).toBeGreaterThanOrEqual(strictOf(evidence));
        }
      });
    }));

  test('a larger value received never makes it milder', () =>
    check((evidence) => {
      evidence.risk_detail.forEach((exposure, at) => {
        const risk_detail = evidence.risk_detail.with(at, { ...exposure, volume_usd: 2 * (exposure.volume_usd ?? 50) });
        expect(strictOf({ ...evidence, risk_detail })).toBeGreaterThanOrEqual(strictOf(evidence));
      });
    }));

  test('who deals with a sanctioned entity is never allowed', () =>
    check((evidence) => {
      const isNamed =
        evidence.reasons.length > 0 ||
        evidence.risk_detail.some(
          ({ risk_type, exposure_type, hop_num }) => risk_type === 'sanctioned_entity' && (exposure_type === 'direct' || hop_num <= 1),
        );
      if (isNamed) expect(strictOf(evidence)).toBeGreaterThanOrEqual(strictness.review);
    }));
});
