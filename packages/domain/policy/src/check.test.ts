import { describe, expect, test } from 'vitest';
import { PolicyError, parsePolicy, readPolicy } from './index.ts';

const defaults = readPolicy();
const lines = defaults.split('\n').length;

function problemsOf(text: string) {
  try {
    parsePolicy(text);
  } catch (error) {
    if (error instanceof PolicyError) return error.problems;
    throw error;
  }
  return [];
}

function marked(text: string, { line, column, length }: { line: number; column: number; length: number }): string {
  return text.split('\n')[line - 1]?.slice(column - 1, column - 1 + length) ?? '';
}

function one(text: string) {
  const [problem, ...more] = problemsOf(text);
  expect(more).toEqual([]);
  if (problem === undefined) throw new Error('nothing is wrong with it');
  return { ...problem, marked: marked(text, problem) };
}

describe('every fault is found, each with its place:', () => {
  test('in the table', () => {
    const text = defaults.replace('Severe: block', 'Severe: blok').replace('High: review', 'Hihg: review');
    expect(problemsOf(text).map((problem) => [problem.line, problem.column, problem.path, marked(text, problem)])).toEqual([
      [8, 1, 'deposit.High', 'deposit'],
      [9, 11, 'deposit.Severe', 'blok'],
      [10, 3, 'deposit', 'Hihg'],
    ]);
  });

  test('in the table and in rules at once', () => {
    const text = `${defaults.replace('Severe: block', 'Severe: blok')}rules:\n  - { name: a, when: transfer.knd == "x", action: block }\n`;
    expect(problemsOf(text).map((problem) => marked(text, problem))).toEqual(['blok', 'knd']);
  });

  test('in what is not YAML', () => {
    expect(one(`${defaults}\ndeposit: 1`)).toMatchObject({ path: 'YAML', line: lines + 1, column: 1 });
  });

  test('in a NUL, which could not be kept', () => {
    expect(one(`# \0\n${defaults}`)).toMatchObject({ path: 'YAML', line: 1, column: 3, message: 'it holds a NUL' });
  });

  test.each([
    ['a missing comma', "review_from_usd: '1000', below", "review_from_usd: '1000' below"],
    ['a bracket', 'Severe: block', 'Severe: [block'],
  ])('%s', (_, from, to) => {
    const [first] = problemsOf(defaults.replace(from, to));
    expect(first?.path).toBe('YAML');
    expect(first?.line).toBeGreaterThan(8);
  });
});

const rule = (when: string) =>
  `${defaults}history:\n  day: { of: user, window: 24h }\nrules:\n  - name: a\n    when: ${when}\n    action: review\n`;

describe('a rule is wrong where it is written:', () => {
  test.each<[string, string, string, RegExp | undefined]>([
    [`'transfer.knd == "deposit"'`, 'knd', 'no such key: knd', /^there are kind, source_id, /],
    [`'result.risk_levl == "Low"'`, 'risk_levl', 'no such key: risk_levl', /^there are outcome, score, /],
    [`'history.week.count > 1'`, 'week', 'no such key: week', /name the window under history/],
    [`'history.day.cnt > 1'`, 'cnt', 'no such key: cnt', /^there are count, usd, /],
    [`'user.id == "x"'`, 'user', 'unknown variable: user', /^there are transfer, result and history$/],
    [`'transfer.usd_value > 1000.5'`, 'transfer.usd_value > 1000.5', 'no such overload: decimal > double', /decimal\("1000\.50"\)/],
    [`'transfer.usd_value > "1000"'`, 'transfer.usd_value > "1000"', 'no such overload: decimal > string', /decimal\("1000\.50"\)/],
    [`'transfer.usd_value == null'`, 'transfer.usd_value == null', 'no such overload: decimal == null', /has\(transfer\.usd_value\)/],
    [`'decimal("1e3") < transfer.amount'`, 'decimal("1e3")', 'decimal needs a number in quotes', /decimal\("1000\.50"\)/],
    [`'transfer.amount'`, 'transfer.amount', 'gives decimal, a rule needs true or false', undefined],
    [`'transfer.kind == 1'`, 'transfer.kind == 1', 'no such overload: string == int', undefined],
    [`'transfer.kind.matches("^(a+)+$")'`, 'transfer.kind.matches("^(a+)+$")', 'there is no function matches', /^there are has, size, /],
    [`'dyn(transfer).kind == "x"'`, 'dyn(transfer)', 'there is no function dyn', /^there are /],
    [`'result.risk_level in ["Low", "Medium"]'`, '"Medium"', 'result.risk_level is never "Medium"', /"Low", "Moderate"/],
    [`'result.risk_detail.exists(e, e.exposure_type != "near")'`, '"near"', 'e.exposure_type is never "near"', /"direct"/],
    [`'transfer.kind == "Deposit"'`, '"Deposit"', 'transfer.kind is never "Deposit"', /"deposit", "withdrawal"/],
    [
      `'result.risk_detail.all(a, result.risk_detail.exists(b, a.hop_num > b.hop_num))'`,
      'result.risk_detail.exists(b, a.hop_num > b.hop_num)',
      'exists stands within another',
      /one after the other/,
    ],
    [
      `'transfer.occurred_at.getHours("Europe/Vienna") < 5'`,
      'transfer.occurred_at.getHours("Europe/Vienna")',
      'getHours takes no time zone',
      /UTC/,
    ],
    [`'1 < 2'`, '1 < 2', 'looks at nothing', undefined],
    ...['2031-13-01T00:00:00Z', 'yesterday, or the day', '2031-01-31T00:00:00.000'].map((text): [string, string, string, RegExp] => [
      `'transfer.occurred_at > timestamp("${text}")'`,
      `timestamp("${text}")`,
      'timestamp needs a time with its zone in quotes',
      /2031-01-31T00:00:00Z/,
    ]),
    [`'transfer.occurred_at > timestamp(transfer.coin)'`, 'timestamp(transfer.coin)', 'timestamp needs a time', undefined],
    [
      `'transfer.occurred_at - timestamp("2031-01-31T00:00:00Z") > duration("1 hour")'`,
      'duration("1 hour")',
      'duration needs a span in quotes',
      /36h/,
    ],
    // Names that every JavaScript object has.
    [`'constructor == "x"'`, 'constructor', 'unknown variable: constructor', undefined],
    [`'result.constructor == "x"'`, 'constructor', 'no such key: constructor', undefined],
    [`'transfer.kind =='`, "'", 'unexpected token', undefined],
  ])('%s', (when, at, message, hint) => {
    const problem = one(rule(when));
    expect(problem).toMatchObject({ path: 'rules.0.when', message: expect.stringContaining(message) as string });
    if (at !== "'") expect(problem.marked).toBe(at);
    expect(problem.line).toBe(lines + 4);
    if (hint !== undefined) expect(problem.hint).toMatch(hint);
  });

  test.each([
    ['plain', 'transfer.kind == "deposit" && transfer.knd == "x"'],
    ['double quotes', '"transfer.kind == \\"deposit\\" && transfer.knd == \\"x\\""'],
    ['doubled quotes', `'transfer.coin == "it''s" && transfer.knd == "x"'`],
    ['a block', '|\n      transfer.kind == "deposit" &&\n        transfer.knd == "x"'],
    ['a folded block', '>-\n      transfer.kind == "deposit" &&\n      transfer.knd == "x"'],
    ['a plain text of two lines', 'transfer.kind == "deposit" &&\n      transfer.knd == "x"'],
  ])('also in %s', (_, when) => expect(one(rule(when)).marked).toBe('knd'));

  test('one that is too large, too deep or too long is refused, at once', () => {
    const nested = `${'('.repeat(60)}transfer.kind == "deposit"${')'.repeat(60)}`;
    for (const when of [
      `'${Array(100).fill('transfer.amount > 1').join(' || ')}'`,
      `'${nested}'`,
      `'transfer.kind == "${'x'.repeat(3_000)}"'`,
    ])
      expect(one(rule(when)).message).toMatch(/is too large|is longer|exceeded/);
  });
});

test.each<[string, string, string]>([
  [
    'a name twice',
    'rules:\n  - { name: a, when: has(transfer.txid), action: review }\n  - { name: a, when: has(transfer.txid), action: block }',
    'rules.1.name',
  ],
  ['a rule that allows and may not relax', 'rules:\n  - { name: a, when: has(transfer.txid), action: allow }', 'rules.0.action'],
  ['a block that may relax', 'rules:\n  - { name: a, when: has(transfer.txid), action: block, may_relax: true }', 'rules.0.may_relax'],
  ['a name that is none', 'rules:\n  - { name: A b, when: has(transfer.txid), action: block }', 'rules.0.name'],
  ['a window without an end', 'history:\n  w: { of: user, window: 400d }', 'history.w.window'],
  ['a window of nothing', 'history:\n  w: { of: user, window: 0h }', 'history.w.window'],
  ['a window of nobody', 'history:\n  w: { of: address, window: 1h }', 'history.w.of'],
  ['a window with a bad name', 'history:\n  "w x": { of: user, window: 1h }', 'history.w x'],
])('%s is refused', (_, more, path) => expect(one(`${defaults}${more}\n`)).toMatchObject({ path }));
