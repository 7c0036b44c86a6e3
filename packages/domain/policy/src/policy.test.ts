import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadPolicy, PolicyError, parsePolicy } from './index.ts';

const path = join(import.meta.dirname, '..', 'default-policy.yaml');
const text = readFileSync(path, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'weir-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

function edit(from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    expect(error).toMatchObject({ code: 'POLICY_INVALID', retriable: false });
    return (error as Error).message;
  }
  return 'accepted';
}

describe('a broken policy is refused with one line that names the place:', () => {
  const last = 'INVALID: review';
  test.each<[string, () => string, RegExp]>([
    ['empty', () => '', /^policy is wrong at the top: /],
    ['not a table', () => '- 1', /^policy is wrong at the top: /],
    ['not YAML', () => 'deposit: [', /^policy is not YAML: .*line 1/],
    ['two documents', () => `${text}\n---\n${text}`, /^policy is not YAML: .*line \d+/],
    ['duplicate keys', () => edit('Severe: block', 'Severe: block\n  Severe: review'), /^policy is not YAML: .*unique at line 10, /],
    ['a tag nobody knows', () => edit('Severe: block', 'Severe: !action block'), /^policy is not YAML: .*!action at line 9, /],
    ['half a character', () => `${text}# \ud800`, /^policy is not YAML: /],
    ['no version', () => edit('version: 1', ''), /^policy is wrong at version: /],
    ['another version', () => edit('version: 1', 'version: 2'), /^policy is wrong at version: /],
    ['an unknown section', () => `${text}\nextras: []`, /^policy is wrong at the top: .*"extras"/],
    [
      'an allowed sanctioned exposure',
      () => edit('{ deposit: block', '{ deposit: allow'),
      /^policy is wrong at sanctioned_exposure\.deposit: must be block or review$/,
    ],
    ['a cell that is never reached', () => edit("'1000'", "'0.00'"), /^policy is wrong at deposit\.Moderate\.below: is never reached/],
    [
      'a limit of dust that is none',
      () => edit("sanctioned_dust_usd: '100'", 'sanctioned_dust_usd: 100'),
      /^policy is wrong at sanctioned_dust_usd: must be a decimal string/,
    ],
    [
      'a value of illicit money without its share',
      () => edit("share_of_transfer: '0.5', ", ''),
      /^policy is wrong at illicit_value\.share_of_transfer: /,
    ],
    ['an unknown key', () => edit(last, `${last}\n  Sever: block`), /^policy is wrong at deposit: .*"Sever"/],
    ['a wrong action', () => edit('Severe: block', 'Severe: blok'), /^policy is wrong at deposit\.Severe: must be block, review or allow$/],
    ['a missing level', () => edit('  High: review\n', ''), /^policy is wrong at deposit\.High: /],
    ['an empty level', () => edit('High: review', 'High:'), /^policy is wrong at deposit\.High: /],
    ['a list for a level', () => edit('High: review', 'High: [review]'), /^policy is wrong at deposit\.High: /],
    ['a missing line of sanctions', () => edit(', withdrawal: block', ''), /^policy is wrong at sanctioned_exposure\.withdrawal: /],
    [
      'a limit that is a number',
      () => edit("'1000'", '1000'),
      /^policy is wrong at deposit\.Moderate\.review_from_usd: must be a decimal string/,
    ],
    ['a limit that is none', () => edit("'1000'", "'1e3'"), /^policy is wrong at deposit\.Moderate\.review_from_usd: /],
    ['a misspelt part', () => edit('below: allow', 'belw: allow'), /^policy is wrong at deposit\.Moderate(\.below)?: /],
    [
      'an allowed unknown value',
      () => edit('unknown_value: review', 'unknown_value: allow'),
      /^policy is wrong at deposit\.Moderate\.unknown_value: /,
    ],
    ['a key of two lines', () => `${text}\n"a\\nb\\u2028c": 1`, /^policy is wrong at the top: .*"a b c"/],
    [
      'too many aliases',
      () =>
        `a: &a [1,1,1,1,1,1,1,1,1]\n${'bcdefghi'
          .split('')
          .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`).join()}]`)
          .join('\n')}`,
      /^policy is not YAML: /,
    ],
  ])('%s', (_, broken, said) => {
    const message = refusal(() => parsePolicy(broken()));
    expect(message).toMatch(said);
    expect(message).not.toMatch(/[\n\r\u2028]/);
    expect(message.length).toBeLessThan(200);
  });

  test.each(
    ['deposit', 'withdrawal'].flatMap((kind) => ['UNAVAILABLE', 'UNSUPPORTED', 'INVALID'].map((outcome) => [kind, outcome] as const)),
  )('%s.%s is allowed', (kind, outcome) => {
    const { hash: _, ...file } = structuredClone(parsePolicy(text));
    for (const action of ['allow', { review_from_usd: '1', below: 'allow', unknown_value: 'review' }]) {
      const changed = { ...file, [kind as 'deposit']: { ...file.deposit, [outcome]: action } };
      expect(refusal(() => parsePolicy(JSON.stringify(changed)))).toBe(`policy is wrong at ${kind}.${outcome}: must be block or review`);
    }
  });
});

test.each(['deposit', 'withdrawal'] as const)('%s.NO_DATA is allowed only below a value that the policy names', (kind) => {
  const { hash: _, ...file } = structuredClone(parsePolicy(text));
  const withNoData = (NO_DATA: unknown): string => JSON.stringify({ ...file, [kind]: { ...file[kind], NO_DATA } });
  const said = 'must be block, review, or a table of actions by value: allow needs a limit in USD';
  expect(refusal(() => parsePolicy(withNoData('allow')))).toBe(`policy is wrong at ${kind}.NO_DATA: ${said}`);
  const unknown = { review_from_usd: '250', below: 'allow', unknown_value: 'allow' };
  expect(refusal(() => parsePolicy(withNoData(unknown)))).toBe(`policy is wrong at ${kind}.NO_DATA.unknown_value: must be block or review`);
  expect(refusal(() => parsePolicy(withNoData({ ...unknown, unknown_value: 'review' })))).toBe('accepted');
});

describe('the hash', () => {
  test('is of the bytes of the file', () => {
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    expect(loadPolicy().hash).toBe(hash);
    expect(loadPolicy(path)).toEqual(loadPolicy());
    expect(parsePolicy(text).hash).toBe(hash);
  });

  test('changes with any byte that leaves a policy, also one that means nothing', () => {
    const hashes = [text, `${text}\n`, text.replace(/ #/, '  #'), `\ufeff${text}`, text.replaceAll('\n', '\r\n')].map(
      (t) => load(Buffer.from(t)).hash,
    );
    for (let at = 2; at < text.indexOf('\n'); at += 1) {
      const changed = Buffer.from(text);
      changed[at] = changed[at] === 0x78 ? 0x79 : 0x78;
      hashes.push(load(changed).hash);
    }
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('is never of bytes that are read as others: what is not UTF-8 is refused', () => {
    for (const byte of [0xfe, 0xff]) {
      expect(refusal(() => load(Buffer.concat([Buffer.from(`${text}# `), Buffer.of(byte)])))).toBe('policy is not YAML: it is not UTF-8');
    }
  });
});

test('a file that cannot be read is named', () => {
  expect(refusal(() => loadPolicy(join(folder, 'none.yaml')))).toBe(`policy ${join(folder, 'none.yaml')} cannot be read: ENOENT`);
  expect(refusal(() => loadPolicy(folder))).toBe(`policy ${folder} cannot be read: EISDIR`);
});

function load(bytes: Buffer) {
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, bytes);
  return loadPolicy(file);
}
