import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Evidence, loadPolicy, parsePolicy, readPolicy } from './index.ts';

const policy = loadPolicy();
const low: Evidence = { kind: 'deposit', outcome: 'SCORED', risk_level: 'Low', risk_detail: [], reasons: [], usd_value: '2000' };
const strictness = { allow: 0, review: 1, block: 2 } as const;

describe('illicit money received, diluted to Low,', () => {
  test.each<[string, Partial<Evidence>, string]>([
    ['from the limit on', { illicit_usd: 10_000, usd_value: '1000000' }, 'illicit_value.review_from_usd'],
    ['below it, in a transfer that is much larger', { illicit_usd: 9_999, usd_value: '1000000' }, 'deposit.Low'],
    ['half of the transfer', { illicit_usd: 1_000 }, 'illicit_value.share_of_transfer'],
    ['less than half of the transfer', { illicit_usd: 1_000, usd_value: '2000.01' }, 'deposit.Low'],
    ['more than a small transfer', { illicit_usd: 1_500, usd_value: '3' }, 'illicit_value.share_of_transfer'],
    ['less than the least sum', { illicit_usd: 999.99, usd_value: '3' }, 'deposit.Low'],
    ['in a transfer of unknown value', { illicit_usd: 1_000, usd_value: null }, 'illicit_value.share_of_transfer'],
    ['of an unreadable value', { illicit_usd: 1_000, usd_value: '1e3' }, 'illicit_value.share_of_transfer'],
    ['that the risk API does not tell', { illicit_usd: null }, 'deposit.Low'],
    ['that another risk API does not know', {}, 'deposit.Low'],
  ])('%s', (_, over, rule) => {
    for (const kind of ['deposit', 'withdrawal'] as const) {
      const verdict = decide(policy, { ...low, kind, ...over });
      const isAllowed = rule === 'deposit.Low';
      expect(verdict).toEqual({
        action: isAllowed ? 'allow' : 'review',
        rule: isAllowed ? `${kind}.Low` : rule,
        reason_codes: isAllowed ? ['LEVEL_LOW'] : ['ILLICIT_VALUE', 'LEVEL_LOW'],
      });
    }
  });

  test('is compared with the transfer at its known price too', () => {
    const priced = { known_usd_price: '1', price_day: '2026-01-30', requested_at: Date.UTC(2026, 0, 31), transfer: { amount: '2000' } };
    expect(decide(policy, { ...low, usd_value: '900000', illicit_usd: 1_000, ...priced }).action).toBe('allow');
    expect(decide(policy, { ...low, usd_value: null, illicit_usd: 1_000, ...priced }).action).toBe('review');
  });

  test('counts with a policy that does not name it, and by the values of one that does', () => {
    const [without, with_] = [
      readPolicy().replace(/^illicit_value:.*$/m, ''),
      readPolicy().replace("review_from_usd: '10000'", "review_from_usd: '50'"),
    ];
    expect(decide(parsePolicy(without), { ...low, illicit_usd: 10_000, usd_value: '1000000' }).action).toBe('review');
    expect(decide(parsePolicy(with_), { ...low, illicit_usd: 50, usd_value: '1000000' }).action).toBe('review');
  });

  test('stands beside a level that decides', () => {
    expect(decide(policy, { ...low, risk_level: 'Severe', illicit_usd: 10_000 })).toEqual({
      action: 'block',
      rule: 'deposit.Severe',
      reason_codes: ['LEVEL_SEVERE', 'ILLICIT_VALUE'],
    });
  });

  test('more of it never makes a decision milder, and no value is milder than an unknown one', () => {
    const evidences = fc.record({
      outcome: fc.constantFrom('SCORED' as const, 'NO_DATA' as const, 'UNAVAILABLE' as const),
      risk_level: fc.constantFrom('Low' as const, 'Moderate' as const, 'High' as const, 'Severe' as const),
      usd_value: fc.constantFrom(null, '0', '5', '1999.99', '5000', '1000000'),
      illicit_usd: fc.double({ min: 0, max: 20_000, noNaN: true }),
    });
    fc.assert(
      fc.property(evidences, fc.double({ min: 0, max: 20_000, noNaN: true }), (over, more) => {
        const strictOf = (illicit_usd: number | null): number => strictness[decide(policy, { ...low, ...over, illicit_usd }).action];
        expect(strictOf(over.illicit_usd + more)).toBeGreaterThanOrEqual(strictOf(over.illicit_usd));
        expect(strictOf(over.illicit_usd)).toBeGreaterThanOrEqual(strictOf(null));
      }),
      { numRuns: 2_000 },
    );
  });
});
