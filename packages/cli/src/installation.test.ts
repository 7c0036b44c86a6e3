import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { connectToRunning } from '@weir/postgres';
import { createLogger, type OpenPipeline, openPipeline } from '@weir/service-kit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { consumerGroups } from './doctor/kafka.ts';
import { importChainData } from './testing/chain-data.ts';
import { freePorts, type Live, makeFolder, startWeir, weir } from './testing/weir.ts';

const folder = makeFolder();
const dataDir = join(folder.path, 'data');
const place = ['--data-dir', dataDir];
let port = 0;
let live: Live;
let pipeline: OpenPipeline;

const start = async (): Promise<void> => {
  live = startWeir(['start', '--port', String(port), '--no-sample', ...place]);
  await live.said('Ready after');
};
const connect = async (): Promise<OpenPipeline> =>
  openPipeline({
    databaseUrl: connectToRunning(dataDir) ?? '',
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    poolSize: 4,
    retentionMs: 3_600_000,
  });
const json = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await weir([...args, ...place, '--json']);
  return { code, stderr, value: JSON.parse(stdout) };
};

beforeAll(async () => {
  port = await freePorts();
  await start();
  pipeline = await connect();
  await importChainData(place);
});
afterAll(async () => {
  live.child.kill('SIGINT');
  await live.ended;
  folder.remove();
});

const address = '0x00000000219ab540356cBB839Cbe05303d7705Fa';

const secrets = (): string[] => {
  const { tokens, standard_api_key, sandbox_api_key } = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8'));
  const password = new URL(connectToRunning(dataDir) ?? '').password;
  return [...(Object.values(tokens) as string[]), standard_api_key, sandbox_api_key, password];
};

describe('doctor', () => {
  test('finds all well, and prints no secret', async () => {
    const env = { WEIR_PORT: String(port) };
    const { code, stdout, stderr } = await weir(['doctor', ...place], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`ok +data folder +.*format PostgreSQL 18; running as process ${live.child.pid}`));
    expect(stdout).toMatch(new RegExp(`ok +port +${port} is used by this Weir`));
    expect(stdout).toMatch(/ok +schema +.*event-log \d/);
    const all = secrets();
    expect(all).toHaveLength(9);
    for (const secret of all) expect(stdout + stderr).not.toContain(secret);
  });

  test('takes a schema of the next release, which only adds, for its own', async () => {
    const next = `INSERT INTO weir.migrations (id, module, sha256, requires) VALUES ('gate/0006-next', 'gate', 'of another text', $1)`;
    await pipeline.pool.query(next, [null]);
    expect((await weir(['doctor', ...place], { env: { WEIR_PORT: String(port) } })).stdout).toMatch(/ok +schema +.*gate 6/);
    await pipeline.pool.query(`DELETE FROM weir.migrations WHERE id = 'gate/0006-next'`);
    await pipeline.pool.query(next, ['gate/0006-next']);
    expect((await weir(['doctor', ...place], { env: { WEIR_PORT: String(port) } })).stdout).toMatch(/wrong +schema .*gate\/0006-next/);
    await pipeline.pool.query(`DELETE FROM weir.migrations WHERE id = 'gate/0006-next'`);
  });

  test('leaves the settings to a command of their own, which masks secrets', async () => {
    const env = {
      WEIR_PORT: String(port),
      WEIR_UPSTREAM_URL: 'http://who:sesame-1@risk.example/x?api_key=sesame-2',
      WEIR_UPSTREAM_API_KEY: 'sesame-3',
    };
    const { code, stdout, stderr } = await weir(['settings', ...place], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`* WEIR_PORT=${port}`);
    expect(stdout).toContain('  WEIR_DEPOSIT_DEADLINE_MS=600000');
    expect(stdout).toContain('* WEIR_UPSTREAM_API_KEY=***');
    const asJson = await weir(['settings', '--json', ...place], { env });
    expect(JSON.parse(asJson.stdout)).toContainEqual({
      env: 'WEIR_PORT',
      value: String(port),
      is_default: false,
      doc: 'Port to listen on',
    });
    expect(stdout + asJson.stdout).not.toContain('sesame');
  });

  test('the secret of permit keys is made at the first start, outside the database, for its owner alone', async () => {
    const file = join(dataDir, 'permit-key-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret).toMatch(/^[\w-]{43}$/);
    const { stdout } = await weir(['doctor', ...place], { env: { WEIR_PORT: String(port) } });
    expect(stdout).toMatch(/ok +permit key secret +permit-key-secret is readable by its owner alone/);
    expect(stdout).not.toContain(secret);
    const { rows } = await pipeline.pool.query<{ private_key: string; mac: Buffer }>('SELECT private_key, mac FROM gate.keys');
    expect(rows).toEqual([{ private_key: expect.stringMatching(/^eyJ[^{]*$/), mac: expect.any(Buffer) }]);
  });

  test('as JSON lists checks and settings; a port of another program, open credentials and a bad policy are wrong', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const taken = (server.address() as { port: number }).port;
    chmodSync(join(dataDir, 'dev-credentials.json'), 0o644);
    const env = { WEIR_PORT: String(taken), WEIR_POLICY_FILE: '/no/such/policy', WEIR_DATA_DIR: 'not-this-one' };
    const { code, stdout, stderr } = await weir(['doctor', ...place, '--json'], { env });
    chmodSync(join(dataDir, 'dev-credentials.json'), 0o600);
    await new Promise((resolve) => server.close(resolve));
    const { ok, checks, settings } = JSON.parse(stdout);
    expect({ code, ok, stderr }).toEqual({ code: 1, ok: false, stderr: 'weir: 3 things are wrong\n' });
    expect(checks).toContainEqual({ check: 'policy', state: 'wrong', detail: 'policy /no/such/policy cannot be read: ENOENT' });
    expect(checks).toContainEqual({
      check: 'port',
      state: 'wrong',
      detail: expect.stringContaining(`${taken} is used by another program`),
    });
    expect(checks).toContainEqual({ check: 'credentials', state: 'wrong', detail: expect.stringContaining('mode 644') });
    expect(checks).toContainEqual({ check: 'dead letters', state: 'ok', detail: 'none' });
    expect(settings).toContainEqual({ env: 'WEIR_HOST', value: '127.0.0.1', is_default: true, doc: expect.any(String) });
    expect(settings).toContainEqual({ env: 'WEIR_DATA_DIR', value: dataDir, is_default: false, doc: expect.any(String) });
  });

  test('knows every group of consumers that there is', async () => {
    const { rows } = await pipeline.pool.query<{ name: string }>(`SELECT name FROM log.groups WHERE name <> 'terminal'`);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(consumerGroups);
  });

  test('says that a database cannot be reached', async () => {
    const { code, stdout } = await weir(['doctor'], { env: { DATABASE_URL: 'postgres://weir:sesame@127.0.0.1:1/weir' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/wrong +database +the database cannot be reached/);
    expect(stdout).not.toContain('sesame');
  });
});

describe('keys', () => {
  const score = (key: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port + 100}/v3/risk_score_query_task?task_id=x`, { headers: { 'x-api-key': key } });

  test('a key is printed once, opens its surface, is listed without itself, and can be revoked', async () => {
    const made = await weir([
      'keys',
      'create',
      '--surface',
      'standard',
      '--name',
      'shop',
      '--per-second',
      '5',
      '--per-day',
      '50',
      ...place,
    ]);
    expect(made.stdout).toMatch(/^[\w-]{43}\n$/);
    const key = made.stdout.trim();
    expect((await score(key)).status).toBe(200);
    const { value } = await json('keys', 'list');
    const mine = value.find(({ name }: { name: string }) => name === 'shop');
    expect(mine).toMatchObject({
      surface: 'standard',
      role: null,
      per_second: 5,
      per_day: 50,
      used_today: 0,
      expires_at: null,
      revoked_at: null,
    });
    expect(made.stderr).toContain(mine.id);
    const listed = await weir(['keys', 'list', ...place]);
    expect(listed.stdout).toMatch(new RegExp(`${mine.id} +standard +5/s, 0 of 50/day +good +\\S+ +shop\n`));
    for (const secret of [key, ...secrets()]) expect(listed.stdout + JSON.stringify(value)).not.toContain(secret);

    const unasked = await weir(['keys', 'revoke', mine.id, ...place]);
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    expect((await score(key)).status).toBe(200);
    expect((await weir(['keys', 'revoke', mine.id.slice(0, 8), '--yes', ...place])).code).toBe(0);
    expect(await (await score(key)).json()).toMatchObject({ msg: 'InvalidApiKey' });
  });

  test('a token has a role', async () => {
    const { value } = await json('keys', 'create', '--role', 'auditor', '--name', 'inspector');
    expect(value).toMatchObject({ role: 'auditor', surface: null, name: 'inspector', token: expect.stringMatching(/^[\w-]{43}$/) });
    const read = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/v1/screenings`, { headers: { authorization: `Bearer ${value.token}` } });
    expect((await read()).status).toBe(200);
    expect((await weir(['keys', 'revoke', value.id, '--yes', ...place])).code).toBe(0);
    expect((await read()).status).toBe(401);
  });

  test('an id that nobody has is a failure', async () => {
    expect(await weir(['keys', 'revoke', '000000', '--yes', ...place])).toMatchObject({ code: 1, stdout: '' });
  });
});

test('screen asks the risk API of the folder', async () => {
  const { code, value } = await json('screen', 'ETH', address);
  expect({ code, ...value }).toMatchObject({ code: 0, outcome: 'NO_DATA', provider: `127.0.0.1:${port + 100}` });
});

describe('dead letters and the audit log', () => {
  const bytes = Buffer.from('not a \u0007 record');

  beforeAll(async () => {
    await pipeline.log.publish([
      { topic: 'deposits.detected', key: 'dep-1', value: bytes, headers: { ce_id: 'first', traceparent: '00-1' } },
      { topic: 'deposits.detected', key: 'dep-2', value: Buffer.alloc(0), headers: {} },
    ]);
    await vi.waitFor(async () => expect(await pipeline.log.read('deposits.detected.dlq', 0, 0n, 9)).toHaveLength(2), { timeout: 20_000 });
  });

  test('are listed', async () => {
    const { value } = await json('dlq', 'list', '--topic', 'deposits.detected');
    expect(value).toHaveLength(2);
    const first = value.find(({ key }: { key: string }) => key === 'dep-1');
    expect(first).toEqual({
      topic: 'deposits.detected',
      offset: expect.stringMatching(/^[01]$/),
      reason: 'UNDECODABLE',
      detail: 'not in the wire format',
      key: 'dep-1',
      at: expect.any(String),
      bytes: bytes.length,
    });
    const { code, stdout, stderr } = await weir(['dlq', 'list', ...place]);
    expect({ code, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 3 });
    expect(stdout).toMatch(/^TOPIC +OFFSET +TIME +REASON +KEY +BYTES +DETAIL\n/);
    expect(stderr).toContain('2 dead letters.');
    expect((await json('dlq', 'list', '--topic', 'reviews.resolved.dlq')).value).toEqual([]);
  });

  test('are shown, and given back as the bytes they were', async () => {
    const list = (await json('dlq', 'list')).value;
    const { offset } = list.find(({ key }: { key: string }) => key === 'dep-1');
    const { value } = await json('dlq', 'show', 'deposits.detected', offset);
    expect(value).toMatchObject({
      reason: 'UNDECODABLE',
      headers: { ce_id: 'first', traceparent: '00-1' },
      value_base64: bytes.toString('base64'),
      data: null,
    });
    expect(Object.keys(value.headers)).toEqual(expect.not.arrayContaining([expect.stringMatching(/^weir_/)]));
    const shown = await weir(['dlq', 'show', 'deposits.detected', offset, ...place]);
    expect(shown.stdout).toContain('6e 6f 74 20 61 20 07');
    expect(shown.stdout).not.toContain('\u0007');
    expect((await weir(['dlq', 'show', 'deposits.detected', offset, '--raw', ...place])).stdout).toBe(bytes.toString());
    expect(await weir(['dlq', 'show', 'deposits.detected', '77', ...place])).toMatchObject({
      code: 1,
      stderr: 'weir: deposits.detected.dlq has nothing at offset 77\n',
    });
  });

  test('are published again as they were, and stay', async () => {
    const list = (await json('dlq', 'list')).value;
    const { offset } = list.find(({ key }: { key: string }) => key === 'dep-1');
    expect((await weir(['dlq', 'replay', 'deposits.detected', offset, ...place])).code).toBe(2);
    const { value, stderr } = await json('dlq', 'replay', 'deposits.detected', offset, '--yes');
    expect(value).toEqual({ topic: 'deposits.detected', replayed: 1, offsets: [offset] });
    expect(stderr).toContain('Published 1 record to deposits.detected');
    const again = async () => {
      const records = [];
      for (const partition of [0, 1, 2, 3]) records.push(...(await pipeline.log.read('deposits.detected', partition, 0n, 9)));
      return records.filter(({ key }) => key === 'dep-1').map(({ value: was, headers }) => ({ text: was.toString(), headers }));
    };
    const original = { text: bytes.toString(), headers: { ce_id: 'first', traceparent: '00-1' } };
    expect(await again()).toEqual([original, original]);
    await vi.waitFor(async () => expect(await pipeline.log.read('deposits.detected.dlq', 0, 0n, 9)).toHaveLength(3), { timeout: 20_000 });
    expect((await json('dlq', 'replay', 'deposits.detected', '--all', '--reason', 'OTHER', '--yes')).value.replayed).toBe(0);
    expect((await json('dlq', 'replay', 'deposits.detected', '--all', '--reason', 'UNDECODABLE', '--yes')).value.replayed).toBe(3);
  });

  test('a deposit stands in the export with what it says', async () => {
    const token = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')).tokens.ingest;
    const deposit = {
      deposit_id: 'dep-3',
      coin: 'ETH',
      from_address: address,
      to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
      amount: '1.5',
    };
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    expect((await fetch(`http://127.0.0.1:${port}/v1/deposits`, { method: 'POST', headers, body: JSON.stringify(deposit) })).status).toBe(
      202,
    );
    const lines = await vi.waitFor(
      async () => {
        const { code, stdout } = await weir(['audit', 'export', '--format', 'jsonl', ...place]);
        expect(code).toBe(0);
        const all = stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        expect(all.some(({ topic, key }) => topic === 'screenings.decided' && key === 'dep-3')).toBe(true);
        return all;
      },
      { timeout: 25_000, interval: 500 },
    );
    const entries = lines.filter(({ checkpoint }) => checkpoint === undefined);
    // A signed checkpoint ends the export, once there is one.
    expect(lines.slice(0, entries.length)).toEqual(entries);
    expect(entries.map(({ index }) => index)).toEqual(entries.map((_, at) => at));
    const detected = lines.find(({ topic, key }) => topic === 'deposits.detected' && key === 'dep-3');
    expect(detected).toMatchObject({
      event_id: expect.any(String),
      event_time: expect.any(String),
      recorded_at: expect.any(String),
      screening_id: expect.any(String),
      headers: { ce_type: 'weir.deposits.detected' },
      data: { deposit_id: 'dep-3', amount: '1.5' },
    });
    expect(Buffer.from(detected.value_base64, 'base64').toString('latin1')).toContain('dep-3');
    expect(lines.find(({ key }) => key === 'dep-1').data).toBeNull();
    const { stdout, stderr } = await weir(['audit', 'export', '--from', '2', ...place]);
    expect(JSON.parse(stdout.split('\n')[0] ?? '').index).toBe(2);
    expect(stderr).toMatch(/^\d+ entries from index 2 on\n$/);
  });
});

describe('labels that an operator changes', () => {
  test('are in the audit log: the import, what a snapshot ended, and who withdrew them', async () => {
    const list = (name: string, numbers: readonly number[]): string => {
      const rows = numbers.map((n) => `ETH,0x${String(n).repeat(40)},Somebody,scam,our list\n`);
      writeFileSync(join(folder.path, name), `chain,address,name,category,source\n${rows.join('')}`);
      return name;
    };
    const run = async (...args: readonly string[]) =>
      expect(await weir(['labels', ...args, ...place], { cwd: folder.path })).toMatchObject({ code: 0 });
    await run('import', list('whole.csv', [1, 2, 3, 4, 5]), '--format', 'csv', '--snapshot');
    await run('import', list('fewer.csv', [1, 2, 3, 4]), '--format', 'csv', '--snapshot');
    await run('withdraw', '--source', 'our list', '--reason', 'case 17', '--person', 'ann', '--yes');
    const account = `os:${userInfo().username}`;
    await vi.waitFor(
      async () => {
        const { stdout } = await weir(['audit', 'export', '--format', 'jsonl', ...place]);
        const changes = stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
          .filter(({ topic, data }) => topic === 'labels.changed' && data.file_name !== 'labels.csv');
        expect(changes.map(({ data }) => [data.action, data.labels, data.file_name, data.source, data.person])).toEqual([
          ['import', 5, 'whole.csv', null, account],
          ['import', 0, 'fewer.csv', null, account],
          ['snapshot', 1, 'fewer.csv', null, account],
          ['withdraw', 5, null, 'our list', 'ann'],
        ]);
      },
      { timeout: 25_000, interval: 500 },
    );
  });
});

describe('acts at the command line', () => {
  test('are in the audit log with the person, and without a secret', async () => {
    const runAs = async (own: string, ...args: readonly string[]) => {
      const done = await weir([...args, ...place], { cwd: folder.path, env: own === '' ? {} : { WEIR_TOKEN: own } });
      expect(done).toMatchObject({ code: 0 });
      return done.stdout;
    };
    const run = (...args: readonly string[]) => runAs('', ...args);
    const ann = JSON.parse(await run('keys', 'create', '--role', 'reviewer', '--person', 'Ann', '--json'));
    const ben = JSON.parse(await run('keys', 'create', '--role', 'approver', '--person', 'Ben', '--json'));
    const { token, id } = JSON.parse(await run('keys', 'create', '--role', 'auditor', '--name', 'a dashboard', '--json'));
    await run('keys', 'revoke', id, '--yes');
    const inForce = JSON.parse(await run('policy', 'list', '--json'))[0].active;
    writeFileSync(join(folder.path, 'same.yaml'), `# for the audit log\n${await run('policy', 'show', 'active')}`);
    const { policy_hash: active } = JSON.parse(await runAs(ann.token, 'policy', 'activate', 'same.yaml', '--json'));
    await runAs(ben.token, 'policy', 'approve', active);
    await runAs(ann.token, 'policy', 'activate', inForce);
    await runAs(ben.token, 'policy', 'approve', inForce.slice(0, 8));
    await vi.waitFor(
      async () => {
        const { stdout } = await weir(['audit', 'export', '--format', 'jsonl', ...place]);
        expect(stdout).not.toContain(token);
        const acts = stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
          .filter(({ topic }) => topic === 'activities.recorded')
          // Acts on different subjects may stand in different partitions, which the log reads in any order.
          .toSorted((a, b) => a.headers.ce_time.localeCompare(b.headers.ce_time))
          .map(({ data }) => data);
        const by = { person_id: `os:${userInfo().username}`, person_name: userInfo().username };
        expect(acts.filter(({ subject }) => [id, inForce, active].includes(subject))).toMatchObject([
          {
            action: 'policy_activated',
            subject: inForce,
            person_id: 'weir',
            details: [
              { name: 'set_by', value: 'default' },
              { name: 'replaces', value: null },
            ],
          },
          {
            action: 'key_created',
            subject_type: 'key',
            subject: id,
            ...by,
            details: [
              { name: 'name', value: 'a dashboard' },
              { name: 'role', value: 'auditor' },
            ],
          },
          { action: 'key_revoked', subject: id, ...by },
          { action: 'policy_proposed', subject: active, person_id: `reviewer:${ann.id}`, person_name: 'Ann' },
          {
            action: 'policy_activated',
            subject: active,
            person_id: `approver:${ben.id}`,
            person_name: 'Ben',
            details: [
              { name: 'set_by', value: 'command' },
              { name: 'replaces', value: inForce },
              { name: 'proposed_by', value: `reviewer:${ann.id}` },
              { name: 'proposed_by_name', value: 'Ann' },
            ],
          },
          { action: 'policy_proposed', subject: inForce, person_name: 'Ann' },
          { action: 'policy_activated', subject: inForce, person_name: 'Ben' },
        ]);
        const settings = acts.find(({ action }) => action === 'settings_changed');
        expect(settings).toMatchObject({ subject: 'weir', person_id: 'weir' });
      },
      { timeout: 25_000, interval: 500 },
    );
  });
});

describe('a reader that goes away', () => {
  test('ends an export quietly', async () => {
    const gone = startWeir(['audit', 'export', ...place]);
    gone.child.stdout?.destroy();
    expect(await gone.ended).toBe(0);
    expect(gone.output()).toBe('');
  });
});

describe('an installation', () => {
  test('is not started twice', async () => {
    const { code, stderr } = await weir(['start', '--port', String(await freePorts()), ...place]);
    expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(stderr).toContain('in use by another Weir');
  });

  test('that does not run is opened for the time of a command', async () => {
    await pipeline.close();
    expect(await live.end('SIGINT')).toBe(0);
    expect(connectToRunning(dataDir)).toBeUndefined();
    expect(existsSync(join(dataDir, 'running.json'))).toBe(false);
    const { value } = await json('dlq', 'list');
    expect(value.length).toBeGreaterThan(2);
    expect(connectToRunning(dataDir)).toBeUndefined();
    expect((await json('doctor')).value.checks).toContainEqual({
      check: 'database',
      state: 'ok',
      detail: expect.stringContaining('started for this check'),
    });
    expect(connectToRunning(dataDir)).toBeUndefined();
  });

  test('starts again, also after it was killed', async () => {
    await start();
    await live.end('SIGKILL');
    await start();
    pipeline = await connect();
    expect((await json('keys', 'list')).value.length).toBeGreaterThan(8);
  });

  test('stops in order when nobody reads what it says', async () => {
    await pipeline.close();
    live.child.stdout?.destroy();
    const url = `http://127.0.0.1:${port}/v1/deposits`;
    const token = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')).tokens.ingest;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const deposit = { deposit_id: 'dep-4', coin: 'ETH', from_address: address, to_address: address, amount: '1' };
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(deposit) })).status).toBe(202);
    expect(await live.ended).toBe(0);
    expect(connectToRunning(dataDir)).toBeUndefined();
  });
});
