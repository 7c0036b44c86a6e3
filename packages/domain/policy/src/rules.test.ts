import { describe, expect, test } from 'vitest';
import { decide, type Evidence, parsePolicy, readPolicy } from './index.ts';

const defaults = readPolicy();
const policyWith = (rules: string, history = '') => parsePolicy(`${defaults}\n${history}\nrules:\n${rules}`);
const day = 'history:\n  user_day: { of: user, kind: withdrawal, window: 24h }';

const transfer = {
  kind: 'withdrawal' as const,
  source_id: 'w-1',
  chain: 'ethereum',
  coin: 'ETH',
  txid: null,
  from_address: null,
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '1.000000000000000001',
  usd_value: '2500.10',
  user_id: 'u-1',
  occurred_at: Date.UTC(2026, 0, 1, 3),
};
const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  kind: 'withdrawal',
  outcome: 'SCORED',
  risk_level: 'Low',
  risk_detail: [],
  reasons: [],
  usd_value: '2500.10',
  score: 3,
  detail_list: [],
  address_label: 'an exchange',
  hacking_event: '',
  provider: 'risk.example',
  transfer,
  history: [{ of: 'user', kind: 'withdrawal', window_ms: 86_400_000, count: 21, known_usd: '100000.000000000000000001', unknown_count: 0 }],
  ...over,
});
const rule = (when: string, action = 'review', name = 'a') => `  - { name: ${name}, when: '${when}', action: ${action} }\n`;
/** Undefined: cannot be evaluated. */
const matches = (when: string, over: Partial<Evidence> = {}): boolean | undefined => {
  const { reason_codes } = decide(policyWith(rule(when), day), evidence(over));
  return reason_codes.includes('RULE_FAILED:a') ? undefined : reason_codes.includes('RULE:a');
};

describe('a condition', () => {
  test.each([
    ['transfer.kind == "withdrawal" && history.user_day.count > 20', true],
    ['history.user_day.count > 21', false],
    // A float would take these for equal.
    ['transfer.amount > 1', true],
    ['transfer.amount > decimal("1.000000000000000001")', false],
    ['transfer.amount == decimal("1.000000000000000001")', true],
    ['history.user_day.usd > 100000', true],
    ['history.user_day.usd <= decimal("100000.000000000000000001")', true],
    ['1000 < transfer.usd_value && transfer.usd_value < decimal("2500.11")', true],
    ['transfer.usd_value * 2 - decimal("0.2") == 5000', true],
    ['transfer.occurred_at.getHours() < 6', true],
    ['transfer.counterparty.startsWith("0x28c6")', true],
    ['has(transfer.txid)', false],
    ['result.address_label.contains("exchange")', true],
    ['result.score >= 3 && result.risk_level == "Low"', true],
    ['!has(transfer.from_address) && transfer.coin in ["ETH", "BTC"]', true],
  ])('%s: %s', (when, expected) => expect(matches(when)).toBe(expected));

  test.each<[string, Partial<Evidence>]>([
    ['transfer.usd_value > 1', { usd_value: null }],
    ['transfer.usd_value < 1', { usd_value: null }],
    ['transfer.usd_value < 1', { usd_value: '1e9' }],
    ['transfer.txid == "0x12"', {}],
    ['transfer.user_id == "u-2"', { transfer: { ...transfer, user_id: null } }],
    ['history.user_day.count > 1', { history: [] }],
    [
      'history.user_day.usd > 1',
      { history: [{ of: 'user', kind: 'withdrawal', window_ms: 86_400_000, count: 3, known_usd: '500', unknown_count: 1 }] },
    ],
    ['result.score > 50', { score: null }],
    [
      'result.risk_detail.exists(e, e.percent > 5)',
      { risk_detail: [{ risk_type: 'mixer', exposure_type: 'direct', hop_num: 2, percent: null }] },
    ],
    ['1 / size(result.risk_detail) > 0', {}],
  ])('%s of what is unknown holds the transfer and says which rule', (when, over) => {
    const verdict = decide(policyWith(rule(when, 'block'), day), evidence(over));
    expect(verdict).toMatchObject({ action: 'review', rule: 'rules.a' });
    expect(verdict.reason_codes.slice(0, 2)).toEqual(['RULE:a', 'RULE_FAILED:a']);
    expect(matches(when, over)).toBeUndefined();
  });

  test('may ask first whether something is known', () => {
    expect(matches('has(transfer.usd_value) && transfer.usd_value > 1', { usd_value: null })).toBe(false);
    expect(matches('has(history.user_day) && history.user_day.count > 1', { history: [] })).toBe(false);
    expect(
      matches('history.user_day.known_usd >= 500', {
        history: [{ of: 'user', kind: 'withdrawal', window_ms: 86_400_000, count: 3, known_usd: '500', unknown_count: 1 }],
      }),
    ).toBe(true);
  });
});

describe('of several rules', () => {
  const yes = 'transfer.kind == "withdrawal"';
  test('the strictest wins, the first that gives it is named, and every match is told', () => {
    const policy = policyWith(
      rule(yes, 'review', 'a') + rule(yes, 'block', 'b') + rule(yes, 'block', 'c') + rule('transfer.kind == "deposit"', 'block', 'd'),
    );
    expect(decide(policy, evidence())).toEqual({
      action: 'block',
      rule: 'rules.b',
      reason_codes: ['RULE:b', 'RULE:c', 'RULE:a', 'LEVEL_LOW'],
    });
  });

  test('the table is named where it is as strict by itself', () => {
    const verdict = decide(policyWith(rule(yes, 'block')), evidence({ risk_level: 'Severe' }));
    expect(verdict).toEqual({ action: 'block', rule: 'withdrawal.Severe', reason_codes: ['LEVEL_SEVERE', 'RULE:a'] });
  });

  test('one that cannot be evaluated leaves a block a block', () => {
    const policy = policyWith(rule(yes, 'block', 'a') + rule('transfer.txid == "1"', 'review', 'b'));
    expect(decide(policy, evidence())).toEqual({
      action: 'block',
      rule: 'rules.a',
      reason_codes: ['RULE:a', 'RULE:b', 'RULE_FAILED:b', 'LEVEL_LOW'],
    });
  });
});

describe('a rule that may relax', () => {
  const relax = (action: string, name = 'trusted', when = 'transfer.user_id == "u-1"') =>
    `  - { name: ${name}, when: '${when}', action: ${action}, may_relax: true }\n`;

  test('takes the place of the table', () => {
    expect(decide(policyWith(relax('allow')), evidence({ risk_level: 'High' }))).toEqual({
      action: 'allow',
      rule: 'rules.trusted',
      reason_codes: ['RULE:trusted', 'LEVEL_HIGH'],
    });
  });

  test('allows nothing of which nothing is known: only the table does, below a value that it names', () => {
    const noData = evidence({ outcome: 'NO_DATA', risk_level: null });
    expect(decide(policyWith(relax('allow')), noData)).toEqual({ action: 'review', rule: 'withdrawal.NO_DATA', reason_codes: ['NO_DATA'] });
  });

  test('never takes the place of a stricter rule, wherever it stands', () => {
    const strict = rule('transfer.kind == "withdrawal"', 'review', 'strict');
    for (const rules of [relax('allow') + strict, strict + relax('allow')])
      expect(decide(policyWith(rules), evidence({ risk_level: 'Severe' }))).toMatchObject({ action: 'review', rule: 'rules.strict' });
  });

  test('the first of them counts', () => {
    const policy = policyWith(relax('review', 'first') + relax('allow', 'second'));
    expect(decide(policy, evidence({ risk_level: 'Severe' }))).toMatchObject({ action: 'review', rule: 'rules.first' });
  });

  test.each<Partial<Evidence>>([
    { outcome: 'UNAVAILABLE', risk_level: null },
    { outcome: 'UNSUPPORTED', risk_level: null },
    { outcome: 'INVALID', risk_level: null },
    { outcome: 'SCORED', risk_level: null },
    { risk_detail: [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 }] },
  ])('does nothing for %j', (over) => {
    const verdict = decide(policyWith(relax('allow')), evidence(over));
    expect(verdict.action).not.toBe('allow');
    expect(verdict.reason_codes).not.toContain('RULE:trusted');
  });
});
