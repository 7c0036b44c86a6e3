import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { activatePolicy, startDecision } from '@weir/decision';
import { readPolicy } from '@weir/policy';
import { mostInWindow, startUpstream, type Upstream } from '@weir/risk-client/testing';
import { openTestStack } from '@weir/service-kit/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder, type RunOptions, startWeir, weir } from '../testing/weir.ts';

const address = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const txid = `0x${'ab'.repeat(32)}`;
const folder = makeFolder();
let upstream: Upstream;
let options: RunOptions;

beforeAll(async () => {
  upstream = await startUpstream({ perSecond: 20 });
});
beforeEach(() => {
  upstream.answer(() => ({}));
  upstream.creates.length = 0;
  options = {
    env: {
      WEIR_UPSTREAM_URL: upstream.url,
      WEIR_UPSTREAM_API_KEY: upstream.apiKey,
      WEIR_UPSTREAM_PER_SECOND: '20',
      WEIR_UPSTREAM_POLL_MS: '20',
    },
  };
});
afterAll(async () => {
  await upstream.close();
  folder.remove();
});

/** Seconds to wait for an answer that does not come, enough for those that come. */
const wait = '4';

const sanctioned = {
  score: 100,
  risk_level: 'Severe',
  address_label: 'LAZARUS \u001b[31mGROUP',
  risk_detail: [{ entity: 'OFAC', risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, volume: 12.5, percent: 50 }],
};

describe('one target', () => {
  test('is polled for until there is a level, which the policy decides on', async () => {
    upstream.answer(() => ({ running: 3, data: sanctioned }));
    const { code, stdout } = await weir(['screen', 'eth', address, '--kind', 'withdrawal'], options);
    expect(code).toBe(0);
    expect(stdout).toContain('Severe, score 100');
    expect(stdout).toContain('block as a withdrawal: SANCTIONED_EXPOSURE, LEVEL_SEVERE');
    expect(stdout).toMatch(/sanctioned_entity +direct +1 +50 % +12\.5 USD +OFAC\n/);
    // Neither colours outside a terminal, nor escape sequences from an answer.
    expect(stdout).not.toContain('\u001b');
  });

  test('says that the value of an exposure is unknown, where the risk API writes 0', async () => {
    upstream.answer(() => ({ data: { ...sanctioned, risk_detail: [{ ...sanctioned.risk_detail[0], volume: 0 }] } }));
    const { stdout } = await weir(['screen', 'eth', address], options);
    expect(stdout).toMatch(/sanctioned_entity +direct +1 +50 % +unknown +OFAC\n/);
  });

  test('as JSON has the names of the pipeline', async () => {
    upstream.answer(() => ({ data: { ...sanctioned, score: 55, risk_level: 'Moderate', risk_detail: [] } }));
    const { code, stdout } = await weir(['screen', 'ETH', txid, '--usd-value', '999.99', '--json'], options);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      coin: 'ETH',
      chain: 'ethereum',
      address: null,
      txid,
      direction: 'deposit',
      kind: 'deposit',
      usd_value: '999.99',
      outcome: 'SCORED',
      score: 55,
      risk_level: 'Moderate',
      action: 'allow',
      reason_codes: ['LEVEL_MODERATE'],
      rule: 'deposit.Moderate.below',
      risk_detail: [],
      detail: '',
    });
  });

  test('of which nothing is known has no level', async () => {
    upstream.answer(() => ({ data: { coverage: 'none' } }));
    const { code, stdout } = await weir(['screen', 'ETH', address, '--json'], options);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, outcome: 'NO_DATA', risk_level: null, action: 'review' });
  });

  test.each([
    ['garbled', { data: { score: 95, risk_level: 'Low' } }, 'UPSTREAM_UNREADABLE'],
    ['an error of the server', { instead: { on: 'create', status: 503, body: '{}' } }, 'UPSTREAM_UNAVAILABLE'],
    ['a web page', { instead: { on: 'query', status: 200, body: '<html>', type: 'text/html' } }, 'UPSTREAM_UNREADABLE'],
    ['stale', { data: { scanned_ts: 1_600_000_000 } }, 'UPSTREAM_UNREADABLE'],
    ['never ready', { running: 1_000_000 }, 'DEADLINE_PASSED'],
  ] as const)('whose answer is %s has none either, is held, and the exit code is 1', async (_, script, reason) => {
    upstream.answer(() => script);
    const { code, stdout, stderr } = await weir(['screen', 'ETH', address, '--wait', wait, '--json'], options);
    const { outcome, risk_level, score, action, reason_codes } = JSON.parse(stdout);
    expect({ code, outcome, risk_level, score, action }).toEqual({
      code: 1,
      outcome: 'UNAVAILABLE',
      risk_level: null,
      score: null,
      action: 'review',
    });
    expect(reason_codes[0]).toBe(reason);
    expect(stderr).toMatch(/^weir: no level: [^\n]+\n$/);
  });

  test('a key that is refused is told at once and shown nowhere', async () => {
    upstream.answer(() => ({ instead: { on: 'create', status: 400, body: '{"success":false,"msg":"InvalidApiKey","data":{}}' } }));
    const { code, stdout, stderr } = await weir(['screen', 'ETH', address], options);
    expect(code).toBe(1);
    expect(stderr).toContain('InvalidApiKey');
    expect(stdout + stderr).not.toContain(upstream.apiKey);
  });

  test('a refusal that may pass is asked again, as the pipeline does', async () => {
    const instead = { on: 'create', status: 403, body: '{}' } as const;
    upstream.answer(() => (upstream.creates.length === 1 ? { instead } : {}));
    const { code, stdout } = await weir(['screen', 'ETH', address, '--json'], options);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, outcome: 'SCORED', risk_level: 'Low' });
    expect(upstream.creates).toHaveLength(2);
  });

  test('without anybody to ask is told in one line', async () => {
    const { code, stderr } = await weir(['screen', 'ETH', address, '--data-dir', join(folder.path, 'nowhere')], options);
    expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(stderr).toContain('WEIR_UPSTREAM_URL');
  });
});

test('the policy in force judges, a policy file goes before it, and the default is used where neither is', async () => {
  const stack = await openTestStack();
  onTestFinished(() => stack.close());
  await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
  const withLow = (action: string): string => readPolicy().replaceAll('  Low: allow', `  Low: ${action}`);
  await activatePolicy(stack.db.pool, withLow('review'));
  const file = join(folder.path, 'blocks.yaml');
  writeFileSync(file, withLow('block'));
  const actionWith = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
    const { stdout } = await weir(['screen', 'ETH', address, '--json'], { env: { ...options.env, ...env } });
    return JSON.parse(stdout).action;
  };
  expect(await actionWith({})).toBe('allow');
  expect(await actionWith({ DATABASE_URL: stack.db.url })).toBe('review');
  expect(await actionWith({ DATABASE_URL: stack.db.url, WEIR_POLICY_FILE: file })).toBe('block');
});

describe('a file', () => {
  const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
  const write = (name: string, lines: readonly string[]): string => {
    const file = join(folder.path, name);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };
  const read = (text: string): Record<string, string>[] => parse(text, { columns: true }) as unknown as Record<string, string>[];

  test('gives a row for each row, in order, also for those that cannot be asked', async () => {
    upstream.answer((subject) => ({ running: subject.endsWith('1') ? 5 : 0, data: { address_label: 'a "b", c' } }));
    const file = write('mixed.csv', [
      '\ufeffcoin,address,txid,usd_value,kind,remark',
      `ETH,${addressOf(0x1001)},,5,,"first, of all"`,
      `ETH,,${txid},,withdrawal,`,
      'NOPE,x,,,,',
      `ETH,${addressOf(0x1002)}`,
      'ETH,0x12,,,,',
      `ETH,${addressOf(0x1003)},${txid},,,`,
      `ETH,${addressOf(0x1004)},,1e3,,`,
      '',
      `eth,${addressOf(0x1005)},,,,`,
    ]);
    const { code, stdout, stderr } = await weir(['screen', file], options);
    expect(code).toBe(1);
    const rows = read(stdout);
    expect(rows.map(({ line, outcome, action }) => [line, outcome, action])).toEqual([
      ['2', 'SCORED', 'allow'],
      ['3', 'SCORED', 'allow'],
      ['4', 'UNSUPPORTED', 'review'],
      ['5', 'INVALID', 'review'],
      ['6', 'INVALID', 'review'],
      ['7', 'INVALID', 'review'],
      ['8', 'INVALID', 'review'],
      ['10', 'SCORED', 'allow'],
    ]);
    expect(rows[0]).toMatchObject({ address: addressOf(0x1001), usd_value: '5', risk_level: 'Low', address_label: 'a "b", c' });
    expect(rows[1]).toMatchObject({ txid, kind: 'withdrawal', rule: 'withdrawal.Low' });
    for (const line of [4, 5, 6, 7, 8]) expect(stderr).toContain(`weir: line ${line}: `);
    expect(stderr).toContain('3 asked, 5 could not be sent.');
    expect(upstream.creates).toHaveLength(3);
  });

  test('keeps to the limit of a second', async () => {
    const file = write('pace.csv', ['coin,address', ...Array.from({ length: 30 }, (_, n) => `ETH,${addressOf(0x2000 + n)}`)]);
    const { code, stdout } = await weir(['screen', file], { env: { ...options.env, WEIR_UPSTREAM_PER_SECOND: '10' } });
    expect({ code, rows: read(stdout).length }).toEqual({ code: 0, rows: 30 });
    expect(upstream.creates).toHaveLength(30);
    expect(
      mostInWindow(
        upstream.creates.map(({ at }) => at),
        1_000,
      ),
    ).toBeLessThanOrEqual(10);
  });

  test('goes on where it was killed, and asks nothing twice that is written down', async () => {
    const count = 40;
    const file = write('long.csv', ['coin,address', ...Array.from({ length: count }, (_, n) => `ETH,${addressOf(0x3000 + n)}`)]);
    const out = join(folder.path, 'long-out.csv');
    // It cannot end before it is killed.
    const last = addressOf(0x3000 + count - 1);
    upstream.answer((subject) => (subject === last ? { running: 1_000_000 } : {}));
    const live = startWeir(['screen', file, '--out', out], options);
    await vi.waitFor(() => expect(readFileSync(out, 'utf8').split('\n').length).toBeGreaterThan(8), { timeout: 20_000, interval: 20 });
    await live.end('SIGKILL');
    upstream.answer(() => ({}));
    const before = read(readFileSync(out, 'utf8'));
    expect(before.length).toBeLessThan(count);
    // A crash of the machine may leave a partial last line.
    writeFileSync(out, `${readFileSync(out, 'utf8')}99,ETH,"0xcut`);
    upstream.creates.length = 0;
    expect(await weir(['screen', file, '--out', out], options)).toMatchObject({
      code: 2,
      stderr: `weir: ${out} already exists; --resume continues it\nRun 'weir screen --help' for usage.\n`,
    });
    const { code, stderr } = await weir(['screen', file, '--out', out, '--resume'], options);
    expect(code).toBe(0);
    expect(stderr).toContain(`${count - before.length} asked, ${before.length} done before.`);
    const after = read(readFileSync(out, 'utf8'));
    expect(after.map(({ address: asked }) => asked)).toEqual(Array.from({ length: count }, (_, n) => addressOf(0x3000 + n)));
    expect(after.slice(0, before.length)).toEqual(before);
    // A set, because lookups of the killed process may arrive after it.
    const asked = new Set(upstream.creates.map(({ subject }) => subject));
    expect(asked).toEqual(new Set(after.slice(before.length).map(({ address: subject }) => subject)));
  });

  test('stops when the day is over, and the next day the same goes on', async () => {
    const rows = Array.from({ length: 4 }, (_, n) => `ETH,${addressOf(0x4000 + n)}`);
    const file = write('day.csv', ['coin,address', ...rows]);
    const out = join(folder.path, 'day-out.csv');
    const limited = await weir(['screen', file, '--out', out], { env: { ...options.env, WEIR_UPSTREAM_PER_DAY: '3' } });
    expect(limited).toMatchObject({ code: 1, stdout: '' });
    expect(limited.stderr).toContain('stopped: the limit of a day is reached; run it with --resume to continue');
    expect(read(readFileSync(out, 'utf8'))).toHaveLength(3);
    expect((await weir(['screen', file, '--out', out, '--resume'], options)).code).toBe(0);
    expect(read(readFileSync(out, 'utf8'))).toHaveLength(4);
  });

  test('a row that cannot be sent fails the run, also when it was done before', async () => {
    const file = write('invalid.csv', ['coin,address', 'NOPE,0x1', `ETH,${addressOf(0x5100)}`]);
    const out = join(folder.path, 'invalid-out.csv');
    const first = await weir(['screen', file, '--out', out], options);
    const again = await weir(['screen', file, '--out', out, '--resume'], options);
    expect([first.code, again.code]).toEqual([1, 1]);
    expect(first.stderr).toContain('1 asked, 1 could not be sent.');
    expect(again.stderr).toContain('0 asked, 2 done before, 1 could not be sent.');
    expect(again.stderr).toContain('line 2: the coin "NOPE" is not known');
  });

  test('rows without an answer are told, and asked again when it goes on', async () => {
    upstream.answer((subject) => (subject.endsWith('1') ? { data: { risk_level: null } } : {}));
    const file = write('silent.csv', ['coin,address', ...[0, 1, 2].map((n) => `ETH,${addressOf(0x5000 + n)}`)]);
    const out = join(folder.path, 'silent-out.csv');
    const first = await weir(['screen', file, '--out', out, '--wait', wait], options);
    expect(first.code).toBe(1);
    expect(read(readFileSync(out, 'utf8')).map(({ outcome, risk_level }) => [outcome, risk_level])).toEqual([
      ['SCORED', 'Low'],
      ['UNAVAILABLE', ''],
      ['SCORED', 'Low'],
    ]);
    upstream.answer(() => ({}));
    expect((await weir(['screen', file, '--out', out, '--resume'], options)).stderr).toContain('1 asked, 2 done before.');
    expect(read(readFileSync(out, 'utf8')).map(({ outcome }) => outcome)).toEqual(['SCORED', 'SCORED', 'SCORED']);
  });

  test('neutralises cells that a spreadsheet takes for formulas, and goes on from them', async () => {
    upstream.answer(() => ({ data: { address_label: '=HYPERLINK("http://192.0.2.1","click")' } }));
    const asked = [
      `ETH,${addressOf(0x7001)},,-5`,
      '@SUM(A1),x,,+1',
      `ETH,${addressOf(0x7002)},,"\t=1+1"`,
      `ETH,${addressOf(0x7003)},,'=own`,
      `ETH,${addressOf(0x7004)},,＝1`,
    ];
    const file = write('formulas.csv', ['coin,address,txid,usd_value', ...asked]);
    const out = join(folder.path, 'formulas-out.csv');
    await weir(['screen', file, '--out', out], options);
    const first = readFileSync(out, 'utf8');
    for (const row of read(first)) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^\s*[=+\-@\t\r\uff1d]/);
    expect(read(first).map(({ coin, usd_value }) => [coin, usd_value])).toEqual([
      ['ETH', "'-5"],
      ["'@SUM(A1)", "'+1"],
      ['ETH', "' =1+1"],
      ['ETH', "''=own"],
      ['ETH', "'＝1"],
    ]);
    upstream.creates.length = 0;
    // A second run repeats no lookup and adds no quote.
    const again = await weir(['screen', file, '--out', out, '--resume'], options);
    expect(again.stderr).toContain('0 asked, 5 done before, 5 could not be sent.');
    expect(readFileSync(out, 'utf8')).toBe(first);
    const kept = await weir(['screen', file, '--keep-formulas'], options);
    expect(read(kept.stdout)[1]).toMatchObject({ coin: '@SUM(A1)', usd_value: '+1' });
    const one = write('label.csv', ['coin,address', `ETH,${addressOf(0x7005)}`]);
    const [labelled] = read((await weir(['screen', one], options)).stdout);
    expect(labelled?.['address_label']).toBe(`'=HYPERLINK("http://192.0.2.1","click")`);
  });

  test.each([
    ['', 'is empty'],
    ['a,b\n1,2\n', 'needs the columns coin, and address or txid'],
    ['coin,address,coin\n', 'has the column coin twice'],
  ])('%j is told to be wrong as a whole', async (text, said) => {
    const file = join(folder.path, 'wrong.csv');
    writeFileSync(file, text);
    const { code, stdout, stderr } = await weir(['screen', file], options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(said);
  });

  test('a quote that is never closed does not make rows vanish unseen', async () => {
    const file = write('quote.csv', ['coin,address', `ETH,${addressOf(0x6001)}`, `ETH,"${addressOf(0x6002)}`, `ETH,${addressOf(0x6003)}`]);
    const { code, stdout, stderr } = await weir(['screen', file], options);
    expect(code).toBe(1);
    expect(read(stdout).map(({ outcome }) => outcome)).toEqual(['SCORED', 'INVALID']);
    expect(stderr).toContain('line 3: a quote is not closed; nothing after this line could be read');
  });
});
