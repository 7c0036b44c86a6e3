import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutSecrets } from './cut-secrets.ts';
import { scanJson } from './json-strings.ts';

const report = (url: string, rest = ''): string => `{"data": {"risk_report_url" : "${url}"${rest}}}`;
const cases: [string, string, string][] = [
  ['one parameter', 'https://x/r?token=abcdefgh', 'https://x/r?token=***'],
  ['several', 'https://x/r?a=1&token=abcdefgh&b=', 'https://x/r?a=***&token=***&b='],
  [
    'escaped separators',
    'https:\\/\\/x\\/r\\u003fa\\u003d1\\u0026token\\u003dabcd\\u0065fgh',
    'https:\\/\\/x\\/r\\u003fa\\u003d***\\u0026token\\u003d***',
  ],
  ['a value alone', 'https://x/r?abcdefgh', 'https://x/r?***'],
  ['a fragment', 'https://x/r#abcdefgh', 'https://x/r#***'],
  ['padding', 'https://x/r?t=YWJjZGVmZ2g==&u=1', 'https://x/r?t=***&u=***'],
  ['the token in the path too', 'https://x/abcdefgh/r?token=abcdefgh', 'https://x/***/r?token=***'],
  ['no URL', 'not yet', 'not yet'],
];
test.each(cases)('cuts %s', (_, url, expected) => {
  expect(cutSecrets(report(url), [])).toBe(report(expected));
});

test('cuts the token wherever it stands again, however it is escaped', () => {
  const text = report(
    'https://x/?token=a%2Fbcdefgh',
    ',"a":"see a/bcdefgh","b":"a\\u002Fb\\u0063defgh!","c":["a%2Fbcdefgh"],"a/bcdefgh":1',
  );
  expect(cutSecrets(text, [])).toBe(report('https://x/?token=***', ',"a":"see ***","b":"***!","c":["***"],"***":1'));
});

test('cuts a token that stands elsewhere as a number', () => {
  expect(cutSecrets(report('https://x/?token=123456789', ',"n":123456789'), [])).not.toContain('123456789');
});

test('leaves an address that is a parameter where it is evidence', () => {
  const rest = ',"risk_detail":[{"entity":"0xabcdefabcdef"}]';
  expect(cutSecrets(report('https://x/?address=0xabcdefabcdef&k=12345678', rest), [])).toBe(report('https://x/?address=***&k=***', rest));
});

test('cuts the URL in lists and at any depth, and the known key', () => {
  const text = '[{"risk_report_url":["https://x/?t=12345678"]},{"d":{"risk_report_url":"?t=87654321"}},"my-api-key"]';
  expect(cutSecrets(text, ['my-api-key'])).toBe('[{"risk_report_url":["https://x/?t=***"]},{"d":{"risk_report_url":"?t=***"}},"***"]');
});

describe('the API key is cut', () => {
  const hexOf = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const key = 'Zk"9/\\+%k=';
  const json = JSON.stringify(key);
  test.each<[string, string]>([
    ['as it is', json],
    ['with more escaped than need be', json.replaceAll('/', '\\/').replace('Z', '\\u005a')],
    ['percent-encoded', `"https://x/?k=${encodeURIComponent(key)}&b"`],
    ['as a form encodes it', `"${new URLSearchParams({ key }).toString()}"`],
    ['with small hexadecimal digits', `"${encodeURIComponent(key).toLowerCase().replace('zk', 'Zk')}"`],
    ['with every character encoded, escaped on top', `"${key.split('').map(hexOf).join('').replaceAll('%', '\\u0025')}"`],
    ['with one character encoded', `"a ${hexOf('Z')}k${JSON.stringify(key.slice(2)).slice(1, -1)} b"`],
    ['in JSON that is a text', JSON.stringify(`{"key":${json}}`)],
    ['in JSON that is a text, its slashes escaped', JSON.stringify(`{"key":${json.replaceAll('/', '\\/')}}`)],
  ])('%s', (_, text) => {
    const cut = cutSecrets(`{"a":1,"entity":${text}}`, [key]);
    const { a, entity } = JSON.parse(cut) as { a: number; entity: string };
    expect(a).toBe(1);
    expect(entity).toContain('***');
    // No part remains in any encoding; its letters occur nowhere else.
    expect(entity).not.toMatch(/Z|9|%5a|%39/i);
  });

  test('however short it is, and an empty one cuts nothing', () => {
    expect(cutSecrets('{"a":"x-kq7","b":"%6bq7"}', ['kq7'])).toBe('{"a":"x-***","b":"***"}');
    expect(cutSecrets('{"a":"x%20y","b":1}', [''])).toBe('{"a":"x%20y","b":1}');
  });

  test('whole, where the digits of an encoded letter look like its first letter', () => {
    expect(cutSecrets('{"a":"<%30!!!>"}', ['0!!!'])).toBe('{"a":"<***>"}');
  });

  test('in every mix of writings, and all else stays byte for byte', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\x21-\x7e]{3,40}$/),
        fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 9 }),
        (secret, choices) => {
          fc.pre(!secret.includes('*') && !'<{"other":"100% %2541 é%C3%A9","again":>}'.includes(secret));
          const units = secret.split('').map((char, i) => {
            const choice = choices[i % choices.length];
            if (choice === 1) return hexOf(char);
            if (choice === 2) return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
            return JSON.stringify(char).slice(1, -1);
          });
          // A literal percent sign before two hex digits would read as an encoding.
          fc.pre(!/%[0-9a-f]{2}/i.test(secret));
          const cut = cutSecrets(`{"other":"100% %2541 é%C3%A9","again":"<${units.join('')}>"}`, [secret]);
          expect(cut).toBe('{"other":"100% %2541 é%C3%A9","again":"<***>"}');
        },
      ),
    );
  });
});

/** Writes each letter as itself or as an escape. */
function escaped(text: string, choices: readonly boolean[]): string {
  return text
    .split('')
    .map((letter, i) => (choices[i % choices.length] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter))
    .join('');
}

test('no token survives in any writing, and all else stays byte for byte', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9_.-]{12,40}$/);
  const choices = fc.array(fc.boolean(), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(token, choices, choices, fc.jsonValue(), fc.boolean(), (secret, one, two, other, isLast) => {
      const rest = JSON.stringify(other, null, 1);
      fc.pre(!rest.includes(secret));
      const url = `"risk_report_url":"${escaped(`https://x/r?lang=en&access=${secret}${isLast ? '' : '&z=1'}`, one)}"`;
      const cut = cutSecrets(`{"other":${rest}, ${url}, "again":"${escaped(`<${secret}>`, two)}"}`, []);
      expect(JSON.stringify(JSON.parse(cut))).not.toContain(secret);
      expect(cut.startsWith(`{"other":${rest}, `)).toBe(true);
      expect((JSON.parse(cut) as { risk_report_url: string }).risk_report_url).toBe(
        `https://x/r?lang=***&access=***${isLast ? '' : '&z=***'}`,
      );
      expect((JSON.parse(cut) as { again: string }).again).toBe('<***>');
    }),
  );
});

test('the strings of any JSON are found, names of fields included', () => {
  const allStrings = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Array.isArray(value)
      ? value.flatMap(allStrings)
      : Object.entries(value).flatMap(([name, inner]) => [name, ...allStrings(inner)]);
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const { strings, hasDuplicates } = scanJson(text);
      expect(strings.map(({ start, end }) => JSON.parse(text.slice(start, end)) as string)).toEqual(allStrings(JSON.parse(text)));
      expect(hasDuplicates).toBe(false);
    }),
  );
});

test.each([
  ['{"a":1,"a":1}', true],
  ['{"a":1,"\\u0061":1}', true],
  ['[{"b":{"a":1},"c":[{"x":1,"y":"x","x":2}]}]', true],
  ['{"a":{"a":["a","a"]},"b":"a"}', false],
])('duplicates in %s: %s', (text, expected) => {
  expect(scanJson(text).hasDuplicates).toBe(expected);
});
