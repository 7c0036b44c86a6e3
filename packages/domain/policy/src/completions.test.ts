import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completePolicy } from './completions.ts';
import { parsePolicy, PolicyError, readPolicy } from './policy.ts';

const windows = 'history:\n  day: { of: user, window: 24h }\n  pair: { of: user_counterparty, window: 7d }\n';

/** `|` is the place. */
function at(marked: string): string[] | undefined {
  const place = marked.indexOf('|');
  return completePolicy(marked.replace('|', ''), place)?.options.map(({ text }) => text);
}

test.each<[string, string, string[]]>([
  ['a field of the transfer', 'rules:\n  - { name: a, when: transfer.am|', ['amount']],
  ['a field of the result', "rules:\n  - { name: a, when: 'result.risk_|", ['risk_level', 'risk_detail']],
  ['a window', `${windows}rules:\n  - { name: a, when: history.|`, ['day', 'pair']],
  ['a field of a window', `${windows}rules:\n  - { name: a, when: history.day.c|`, ['count']],
  ['a field of an exposure in a loop', 'rules:\n  - { name: a, when: "result.risk_detail.exists(e, e.per|', ['percent']],
  ['a text that a field can have', 'rules:\n  - { name: a, when: transfer.kind == "|', ['deposit', 'withdrawal']],
  ['one of a list', "rules:\n  - { name: a, when: result.risk_level in ['Hi|", ['High']],
  ['a variable', 'rules:\n  - { name: a, when: tra|', ['transfer']],
  ['a function', 'rules:\n  - name: a\n    when: star|', ['startsWith']],
  ['a condition on lines of its own', 'rules:\n  - name: a\n    when: >-\n      transfer.us|', ['usd_value', 'user_id']],
  ['the action of a rule', 'rules:\n  - { name: a, when: transfer.amount > 1, action: |', ['block', 'review', 'allow']],
  ['a key of a rule', 'rules:\n  - name: a\n    act|', ['action: ']],
  ['a key after the condition', 'rules:\n  - name: a\n    when: transfer.amount > 1\n    act|', ['action: ']],
  ['an action after the condition', 'rules:\n  - name: a\n    when: transfer.amount > 1\n    action: bl|', ['block']],
  ['a key after a condition on lines of its own', 'rules:\n  - when: >-\n      transfer.amount > 1\n    nam|', ['name: ']],
  ['a condition that goes on', 'rules:\n  - when: >-\n      transfer.amount > 1\n      && transfer.ki|', ['kind']],
  ['a key at the margin', 'version: 1\nsanc|', ['sanctioned_exposure: ', 'sanctioned_dust_usd: ', 'sanctioned_received_usd: ']],
  ['a line of the table', 'deposit:\n  UN|', ['UNAVAILABLE: ', 'UNSUPPORTED: ']],
  ['the action of a line', 'deposit:\n  Severe: bl|', ['block']],
  ['an action by value', 'deposit:\n  Low: { review_from_usd: "10", be|', ['below: ']],
  ['what a window counts', 'history:\n  day: { of: user|', ['user_counterparty']],
])('%s', (_, marked, options) => {
  expect(at(marked)).toEqual(options);
});

test.each(['# a com|', 'rules:\n  - { name: lar|', 'rules:\n  - { name: a, when: transfer.nothing|', 'deposit:\n  Low: allow|'])(
  'nothing at %s',
  (marked) => {
    expect(at(marked)).toBeUndefined();
  },
);

test('every proposal within a condition is one that the policy accepts', () => {
  const base = `${readPolicy()}${windows}rules:\n  - { name: a, action: review, when: "has(`;
  for (const owner of ['transfer', 'result', 'history']) {
    const text = `${base}${owner}.`;
    const found = completePolicy(text, text.length)?.options ?? [];
    expect(found.length).toBeGreaterThan(1);
    for (const option of found) expect(() => parsePolicy(`${text}${option.text})" }\n`), option.text).not.toThrow();
  }
});

test('every key that is proposed has its place in a policy', () => {
  const sections = ['', 'sanctioned_exposure:\n  ', 'deposit:\n  ', 'withdrawal:\n  ', 'illicit_value:\n  ', 'rules:\n  - '];
  for (const section of [...sections, 'history:\n  day: { ', 'deposit:\n  Low: { ']) {
    const keys = completePolicy(section, section.length)?.options ?? [];
    expect(keys.length).toBeGreaterThan(1);
    for (const { text } of keys)
      expect(problemsOf(`${section}${text}x${section.includes('{') ? ' }' : ''}\n`), text).not.toMatch(/has no place for/);
  }
  expect(problemsOf('nonsense: x\n')).toMatch(/has no place for/);
});

function problemsOf(text: string): string {
  try {
    parsePolicy(text);
    return '';
  } catch (error) {
    return error instanceof PolicyError ? error.problems.map(({ message }) => message).join('\n') : String(error);
  }
}

test('any text and place has an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(60), (text, place) => {
      const end = Math.min(place, text.length);
      const found = completePolicy(text, end);
      expect(found === undefined || (found.from >= 0 && found.from <= end)).toBe(true);
    }),
  );
});
