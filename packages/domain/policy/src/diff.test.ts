import { expect, test } from 'vitest';
import { diffPolicies, parsePolicy, readPolicy } from './index.ts';

const defaults = readPolicy();
const words = (before: string, after: string) => diffPolicies(parsePolicy(before), parsePolicy(after)).map(({ text }) => text);
const cell = "Moderate: { review_from_usd: '1000', below: allow, unknown_value: review }";

test.each<[string, string, string, string[]]>([
  ['nothing that decides', 'version: 1', 'version: 1 # a remark', []],
  ['a cell', 'Severe: block', 'Severe: review', ['Severe deposits: block → review']],
  ['a line of sanctions', 'deposit: block', 'deposit: review', ['Deposits with a direct exposure to a sanctioned entity: block → review']],
  ['a part of a cell', 'below: allow', 'below: review', ['Moderate deposits below 1,000 USD: allow → review']],
  ['a limit', "'1000'", "'25000.5'", ['Moderate deposits from 1,000 to below 25,000.5 USD: review → allow']],
  ['a cell by value into one', cell, 'Moderate: review', ['Moderate deposits below 1,000 USD: allow → review']],
  [
    'one into a cell by value',
    'Low: allow',
    "Low: { review_from_usd: '10', below: allow, unknown_value: block }",
    ['Low deposits from 10 USD: allow → review', 'Low deposits of unknown value: allow → block'],
  ],
  [
    'no data, allowed below a value',
    'NO_DATA: review',
    "NO_DATA: { review_from_usd: '250', below: allow, unknown_value: review }",
    ['Deposits of which nothing is known (NO_DATA) below 250 USD: review → allow'],
  ],
  [
    'the limit of all that was received',
    "sanctioned_received_usd: '1000'",
    "sanctioned_received_usd: '200'",
    ['Money received from sanctioned entities in all is reviewed below this USD value (sanctioned_received_usd): 1000 → 200'],
  ],
  [
    'the limit of a single payment',
    "sanctioned_dust_usd: '100'",
    '',
    ['Dust received from a sanctioned entity is reviewed below this USD value (sanctioned_dust_usd): 100 → 0'],
  ],
  [
    'a value of illicit money',
    "share_of_transfer: '0.5', from_usd: '1000'",
    "share_of_transfer: '0.25', from_usd: '500'",
    [
      'Illicit money received is reviewed from this share of the transfer (illicit_value): 0.5 → 0.25',
      'The share of the transfer counts from this USD value of illicit money (illicit_value): 1000 → 500',
    ],
  ],
  ['what has no level', 'UNAVAILABLE: review', 'UNAVAILABLE: block', ['Deposits without an answer (UNAVAILABLE): review → block']],
])('%s', (_, from, to, expected) => {
  expect(defaults).toContain(from);
  expect(words(defaults, defaults.replace(from, to))).toEqual(expected);
});

test('rules and windows: added, removed, changed, moved', () => {
  const rule = (name: string, action = 'review') => `  - { name: ${name}, when: has(transfer.txid), action: ${action} }\n`;
  const history = 'history:\n  day: { of: user, window: 24h }\n  week: { of: user_counterparty, kind: deposit, window: 7d }\n';
  const before = `${defaults}${history}rules:\n${rule('a')}${rule('b')}${rule('c')}${rule('d')}`;
  const after = `${defaults}${history.replace('24h', '1d').replace('7d', '8d')}rules:\n${rule('d')}${rule('a')}${rule('c', 'block')}${rule('e')}`;
  expect(words(before, after)).toEqual([
    'Window week changed: deposits of the same user and counterparty in 7d → deposits of the same user and counterparty in 8d',
    'Rule b removed: review when has(transfer.txid)',
    'Rule c changed: review when has(transfer.txid) → block when has(transfer.txid)',
    'Rule e added: review when has(transfer.txid)',
    'Rule d moved: from place 3 to before a',
  ]);
});

test.each([
  ['blanks within quotes', 'transfer.coin == "A B"', 'transfer.coin == "A  B"'],
  [
    'the end of a line after a remark',
    'has(transfer.txid) // or\n || has(transfer.user_id)',
    'has(transfer.txid) // or || has(transfer.user_id)',
  ],
])('a rule that differs in %s alone is told, for it decides otherwise', (_, old, now) => {
  const policy = (when: string) => `${defaults}rules:\n  - { name: a, when: ${JSON.stringify(when)}, action: review }\n`;
  expect(words(policy(old), policy(now))).toEqual([`Rule a changed: ${JSON.stringify(old)} → ${JSON.stringify(now)}`]);
});
