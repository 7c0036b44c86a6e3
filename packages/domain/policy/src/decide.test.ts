import type { Action, Kind, Outcome, RiskLevel } from '@weir/contracts';
import { describe, expect, test } from 'vitest';
import { decide, type Evidence, loadPolicy, parsePolicy } from './index.ts';

const policy = loadPolicy();
const kinds: readonly Kind[] = ['deposit', 'withdrawal'];
const values = { below: '999.999999999999999999', at: '1000.00', above: '1000.000000000000000001', huge: '9'.repeat(78) } as const;
const unknownValues = [null, '', 'abc', '-5', '1e9', '1,000', ' 1', 'NaN', '0x10', '01', '9'.repeat(79)];
const sanctioned = { risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 } as const;

function evidence(over: Partial<Evidence>): Evidence {
  return { kind: 'deposit', outcome: 'SCORED', risk_level: null, risk_detail: [], reasons: [], usd_value: '10', ...over };
}

describe('the default policy decides as the table of the design says:', () => {
  const rows: [RiskLevel, Action][] = [
    ['Severe', 'block'],
    ['High', 'review'],
    ['Low', 'allow'],
  ];
  const everyValue = [...Object.values(values), ...unknownValues];
  const cases = rows.flatMap(([level, action]) =>
    kinds.flatMap((kind) => everyValue.map((usd_value) => ({ level, kind, usd_value, action }))),
  );
  test.each(cases)('$level $kind of $usd_value USD: $action', ({ level, kind, usd_value, action }) => {
    expect(decide(policy, evidence({ kind, risk_level: level, usd_value }))).toEqual({
      action,
      rule: `${kind}.${level}`,
      reason_codes: [`LEVEL_${level.toUpperCase()}`],
    });
  });

  const byValue: [string | null, Action, string][] = [
    [values.below, 'allow', 'below'],
    ['0', 'allow', 'below'],
    [values.at, 'review', 'review_from_usd'],
    [values.above, 'review', 'review_from_usd'],
    [values.huge, 'review', 'review_from_usd'],
    ...unknownValues.map((usd_value): [string | null, Action, string] => [usd_value, 'review', 'unknown_value']),
  ];
  test.each(kinds.flatMap((kind) => byValue.map((row) => [kind, ...row] as const)))(
    'Moderate %s of %s USD: %s',
    (kind, usd_value, action, line) => {
      expect(decide(policy, evidence({ kind, risk_level: 'Moderate', usd_value }))).toEqual({
        action,
        rule: `${kind}.Moderate.${line}`,
        reason_codes: ['LEVEL_MODERATE'],
      });
    },
  );

  const withoutLevel = kinds.flatMap((kind): [Outcome, Kind, Action, string][] => [
    ['NO_DATA', kind, 'review', 'NO_DATA'],
    ['UNAVAILABLE', kind, 'review', 'UPSTREAM_UNAVAILABLE'],
    ['UNSUPPORTED', kind, 'review', 'UNSUPPORTED_COIN'],
    ['INVALID', kind, 'review', 'INVALID_TRANSFER'],
  ]);
  test.each(withoutLevel)('%s %s: %s', (outcome, kind, action, reason) => {
    for (const usd_value of ['0', '5000', null]) {
      expect(decide(policy, evidence({ kind, outcome, usd_value }))).toEqual({
        action,
        rule: `${kind}.${outcome}`,
        reason_codes: [reason],
      });
    }
  });
});

describe('a policy that allows NO_DATA below a value', () => {
  const { hash: _, ...file } = policy;
  const limited = { review_from_usd: '250', below: 'allow', unknown_value: 'review' };
  const small = parsePolicy(JSON.stringify({ ...file, withdrawal: { ...file.withdrawal, NO_DATA: limited } }));
  const cases: [string | null, Action, string][] = [
    ['249.99', 'allow', 'below'],
    ['250', 'review', 'review_from_usd'],
    ...unknownValues.map((usd_value): [string | null, Action, string] => [usd_value, 'review', 'unknown_value']),
  ];
  test.each(cases)('of %s USD: %s', (usd_value, action, line) => {
    const verdict = { action, rule: `withdrawal.NO_DATA.${line}`, reason_codes: ['NO_DATA'] };
    expect(decide(small, evidence({ kind: 'withdrawal', outcome: 'NO_DATA', usd_value }))).toEqual(verdict);
  });
});

test.each<[Partial<Evidence>, string]>([
  [{ risk_level: 'Low' }, 'LEVEL_LOW'],
  [{ risk_level: 'Severe' }, 'LEVEL_SEVERE'],
  [{ outcome: 'NO_DATA' }, 'NO_DATA'],
  [{ outcome: 'UNAVAILABLE', reasons: ['DEADLINE_PASSED'] }, 'DEADLINE_PASSED'],
  [{ outcome: 'UNAVAILABLE' }, 'UPSTREAM_UNAVAILABLE'],
])("a remark on the caller's time stands last and changes no action: %o", (over, reason) => {
  const plain = evidence(over);
  const verdict = decide(policy, plain);
  expect(verdict.reason_codes).toEqual([reason]);
  const remarked = decide(policy, { ...plain, reasons: [...plain.reasons, 'CALLER_TIME_OUT_OF_BOUNDS'] });
  expect(remarked).toEqual({ ...verdict, reason_codes: [reason, 'CALLER_TIME_OUT_OF_BOUNDS'] });
});

test('why there is no level is told as it was found, and a level beside it counts for nothing', () => {
  const reasons = ['BUDGET_EXHAUSTED', 'DEADLINE_PASSED'];
  const verdict = decide(policy, evidence({ outcome: 'UNAVAILABLE', reasons, risk_level: 'Low' }));
  expect(verdict).toMatchObject({ action: 'review', reason_codes: reasons });
  expect(verdict.reason_codes).not.toBe(reasons);
});

describe('a direct exposure to a sanctioned entity', () => {
  test.each([
    sanctioned,
    { ...sanctioned, exposure_type: 'indirect' as const },
    { ...sanctioned, exposure_type: 'indirect' as const, hop_num: 0 },
    { ...sanctioned, hop_num: 4 },
  ])('blocks at every level: %o', (exposure) => {
    for (const kind of kinds) {
      for (const risk_level of ['Low', 'Moderate', 'High', 'Severe'] as const) {
        const other = { risk_type: 'mixer', exposure_type: 'direct', hop_num: 1 } as const;
        expect(decide(policy, evidence({ kind, risk_level, risk_detail: [other, exposure] }))).toEqual({
          action: 'block',
          rule: `sanctioned_exposure.${kind}`,
          reason_codes: ['SANCTIONED_EXPOSURE', `LEVEL_${risk_level.toUpperCase()}`],
        });
      }
    }
  });

  test.each([
    { ...sanctioned, exposure_type: 'indirect' as const, hop_num: 2 },
    { ...sanctioned, risk_type: 'mixer' },
    { ...sanctioned, risk_type: 'Sanctioned_Entity' },
  ])('is not one that is further away or of another kind: %o', (exposure) => {
    expect(decide(policy, evidence({ risk_level: 'Low', risk_detail: [exposure] })).action).toBe('allow');
  });

  test('blocks also where the result has no level', () => {
    for (const outcome of ['SCORED', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'] as const) {
      expect(decide(policy, evidence({ kind: 'withdrawal', outcome, risk_detail: [sanctioned] })).action).toBe('block');
    }
  });
});

test('a scored result without a level is held by the line for what could not be read, whatever that line says', () => {
  const held = { rule: 'withdrawal.UNAVAILABLE', reason_codes: ['UPSTREAM_UNREADABLE'] };
  expect(decide(policy, evidence({ kind: 'withdrawal' }))).toEqual({ action: 'review', ...held });
  const { hash: _, ...file } = policy;
  const strict = parsePolicy(JSON.stringify({ ...file, withdrawal: { ...file.withdrawal, UNAVAILABLE: 'block' } }));
  expect(decide(strict, evidence({ kind: 'withdrawal' }))).toEqual({ action: 'block', ...held });
});
