import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startUpstream } from '@weir/risk-client/testing';
import { eventId, screeningId } from '@weir/contracts';
import { connectToRunning, openPool, transaction } from '@weir/postgres';
import { Outbox } from '@weir/service-kit';
import { openTestStack, withLogElsewhere } from '@weir/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../../../../test/support/stack/installation.ts';
import { importChainData } from '../testing/chain-data.ts';
import { freePorts, makeFolder, weir } from '../testing/weir.ts';
import type { Finding } from './finding.ts';

const folder = makeFolder();
let installation: Installation;
let place: readonly string[];
let port: string;
beforeAll(async () => {
  installation = await makeInstallation();
  await installation.start();
  place = ['--data-dir', installation.dataDir];
  port = new URL(installation.url).port;
  await importChainData(place);
});
afterAll(async () => {
  await installation.remove();
  folder.remove();
});

async function examine(env: NodeJS.ProcessEnv, at = place): Promise<{ code: number | null; checks: readonly Finding[] }> {
  const { code, stdout } = await weir(['doctor', '--json', ...at], { env: { WEIR_PORT: port, ...env } });
  return { code, checks: (JSON.parse(stdout) as { checks: Finding[] }).checks };
}

const ofRiskApi = ({ checks }: { checks: readonly Finding[] }): string[] =>
  checks.filter(({ check }) => check === 'risk API').map(({ state, detail }) => `${state}: ${detail}`);

describe('the risk API', () => {
  test('of the installation is called with its key', async () => {
    const found = await examine({});
    expect(ofRiskApi(found)).toEqual(['ok: our own answers, and takes the key']);
    expect(found.code).toBe(0);
  });

  test('that is dead is wrong, and so is a wrong key, and each is told as what it is', async () => {
    const dead = await examine({ WEIR_UPSTREAM_URL: 'http://127.0.0.1:1', WEIR_UPSTREAM_API_KEY: 'any' });
    expect(ofRiskApi(dead)).toEqual([expect.stringMatching(/^wrong: 127\.0\.0\.1:1 does not answer: NETWORK /)]);
    expect(dead.code).toBe(1);
    const host = new URL(installation.riskUrl).host;
    const refused = await examine({ WEIR_UPSTREAM_URL: installation.riskUrl, WEIR_UPSTREAM_API_KEY: 'not-a-key' });
    expect(ofRiskApi(refused)).toEqual([`wrong: ${host} refuses a call with this key: InvalidApiKey`]);
    expect(refused.code).toBe(1);
  });

  test('of another provider is called at no cost', async () => {
    const upstream = await startUpstream();
    const found = await examine({ WEIR_UPSTREAM_URL: upstream.url, WEIR_UPSTREAM_API_KEY: upstream.apiKey });
    expect(ofRiskApi(found)).toEqual([`ok: ${new URL(upstream.url).host} answers, and takes the key`]);
    expect(upstream.creates).toEqual([]);
    await upstream.close();
  });
});

test('a chain with labels alone has no transfers, rather than new ones', async () => {
  const file = join(folder.path, 'polygon.csv');
  writeFileSync(file, `chain,address,name,category,source\npolygon,0x${'1'.repeat(40)},Somebody,ordinary,test\n`);
  expect(await weir(['labels', 'import', file, '--format', 'csv', ...place])).toMatchObject({ code: 0 });
  const { checks } = await examine({});
  expect(checks.find(({ check }) => check === 'chain data')?.detail).toMatch(
    /; polygon: 1 label \(imported 0 minutes ago\), no transfers$/,
  );
});

describe('settings that weir start refuses are wrong for weir doctor too:', () => {
  test.each<[string, NodeJS.ProcessEnv]>([
    ['risk API', { WEIR_UPSTREAM_URL: 'http://who:sesame@risk.example/', WEIR_UPSTREAM_API_KEY: 'k' }],
    ['webhooks', { WEIR_WEBHOOK_URL: 'http://hooks.example/', WEIR_WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 1).toString('base64')}` }],
    ['sign-in', { WEIR_OIDC_ISSUER: 'https://id.example' }],
    ['pay-per-call', { WEIR_X402_PAY_TO_EVM: '0x28C6c06298d514Db089934071355E5743bf21d60' }],
    [
      'pay-per-call',
      {
        WEIR_X402_PAY_TO_EVM: '0x28C6c06298d514Db089934071355E5743bf21d60',
        WEIR_X402_EVM_RPC_URL: 'http://127.0.0.1:1',
        WEIR_X402_EVM_SIGNER_KEY: '0x12',
      },
    ],
    ['kafka', { SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' }],
  ])('%s', async (check, env) => {
    const fresh = ['--data-dir', join(folder.path, 'fresh')];
    const started = await weir(['start', '--no-sample', '--port', String(await freePorts()), ...fresh], { env });
    expect(started.code).toBe(1);
    const detail = started.stderr.trim().replace(/^weir: /, '');
    expect(detail).toMatch(/^setting \w+ /);
    expect(detail).not.toContain('sesame');
    const { code, checks } = await examine(env);
    expect(code).toBe(1);
    expect(checks.filter(({ state }) => state === 'wrong')).toContainEqual({ check, state: 'wrong', detail });
  });

  test('a data folder that holds something else', async () => {
    const other = join(folder.path, 'other');
    mkdirSync(join(other, 'postgres'), { recursive: true });
    writeFileSync(join(other, 'postgres', 'note.txt'), 'not yours');
    const at = ['--data-dir', other];
    const started = await weir(['start', '--no-sample', '--port', String(await freePorts()), ...at]);
    expect(started.code).toBe(1);
    const { code, checks } = await examine({}, at);
    expect(code).toBe(1);
    expect(checks).toContainEqual({ check: 'data folder', state: 'wrong', detail: started.stderr.trim().replace(/^weir: /, '') });
  });

  test('a secret under which no stored permit key is authentic', async () => {
    const { code, checks } = await examine({ WEIR_PERMIT_KEY_SECRET: 'x'.repeat(32) });
    expect(code).toBe(1);
    expect(checks).toContainEqual({
      check: 'permit keys',
      state: 'wrong',
      detail: 'setting WEIR_PERMIT_KEY_SECRET is wrong: permit keys are stored, and none is authenticated under it',
    });
  });
});

test('doctor prints the settings in force, secrets masked, and ends with its findings', async () => {
  const { stdout } = await weir(['doctor', ...place], { env: { WEIR_PORT: port, WEIR_TOKEN: 'sesame' } });
  expect(stdout).toContain(`* WEIR_PORT=${port}`);
  expect(stdout).toMatch(/^ {2}WEIR_DEPOSIT_DEADLINE_MS=600000$/m);
  expect(stdout).toContain('* WEIR_TOKEN=***');
  expect(stdout).not.toContain('sesame');
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^ok +risk API +our own answers, and takes the key$/);
});

test('events that the log refuses, which nothing publishes any more, are wrong: who stored them, of which topic, and why', async () => {
  const stack = await openTestStack();
  const { pool, log, codec, metrics, clock } = withLogElsewhere(await stack.pipeline());
  const ofOutbox = async (): Promise<string[]> =>
    (await examine({ DATABASE_URL: stack.db.url }, [])).checks
      .filter(({ check }) => check === 'outbox')
      .map(({ state, detail }) => `${state}: ${detail}`);
  const outbox = new Outbox({ pool, log, codec, service: 'deposit-ingest', metrics });
  try {
    const data = {
      deposit_id: 'd-1',
      chain: null,
      coin: 'ETH',
      txid: null,
      from_address: `0x${'a'.repeat(40)}`,
      to_address: `0x${'b'.repeat(40)}`,
      amount: '1',
      usd_value: null,
      user_id: null,
      memo: null,
      detected_at: 0,
    };
    const event = {
      topic: 'deposits.detected' as const,
      id: eventId('deposits.detected', 'd-1'),
      key: 'd-1',
      screeningId: screeningId('deposit', 'd-1'),
      time: 0,
      data,
    };
    await transaction(pool, (tx) => outbox.store(tx, [event]));
    expect(await ofOutbox()).toEqual(['ok: no event is refused by the log']);
    // Old enough for the sweep, with a topic that does not exist.
    await pool.query(`UPDATE outbox.events SET topic = 'deposits.gone', created_at = created_at - interval '1 hour';
      UPDATE outbox.batches SET created_at = created_at - interval '1 hour'`);
    outbox.start(clock, () => undefined);
    await vi.waitFor(async () => expect((await pool.query('SELECT FROM outbox.events WHERE refused_at IS NOT NULL')).rowCount).toBe(1), {
      timeout: 20_000,
    });
    expect(await ofOutbox()).toEqual([
      `wrong: the log refuses 1 of deposit-ingest's events for deposits.gone (UNKNOWN_TOPIC), the oldest ${event.id}; later events of their transfers wait`,
    ]);
  } finally {
    await outbox.stop();
    await stack.close();
  }
});

test('a partition that a group has stopped reading is wrong until "weir topics resume"', async () => {
  const pool = openPool({ url: connectToRunning(installation.dataDir) ?? '', max: 1 });
  await pool.query(`
    WITH topic AS (SELECT id FROM log.topics WHERE name = 'reviews.resolved.dlq'),
    late AS (INSERT INTO log.groups (name) VALUES ('late') RETURNING id),
    moved AS (UPDATE log.partitions SET first_offset = 5, next_offset = 5 WHERE topic = (SELECT id FROM topic)),
    others AS (UPDATE log.assignments SET committed = 5 WHERE topic = (SELECT id FROM topic))
    INSERT INTO log.assignments (group_id, topic, partition) SELECT late.id, topic.id, 0 FROM late, topic`);
  await pool.end();
  const gaps = ({ checks }: { checks: readonly Finding[] }): string[] =>
    checks.filter(({ check }) => check === 'gaps').map(({ state, detail }) => `${state}: ${detail}`);
  const found = await examine({});
  expect(gaps(found)).toEqual([
    'wrong: late has stopped reading reviews.resolved.dlq/0: offsets 0 to 4 are gone before it read them; ' +
      '"weir topics rebuild late --topic reviews.resolved.dlq" publishes them again, and then ' +
      '"weir topics resume late --topic reviews.resolved.dlq --from earliest" goes on',
  ]);
  expect(found.code).toBe(1);
  const resume = ['topics', 'resume', 'late', '--topic', 'reviews.resolved.dlq', '--from', 'earliest', ...place];
  const asked = await weir(resume);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('give --yes to go on')]);
  expect(JSON.parse((await weir([...resume, '--yes', '--json'])).stdout)).toEqual({
    group: 'late',
    resumed: [{ topic: 'reviews.resolved.dlq', partition: 0, missing: '0', available: '5' }],
  });
  expect(gaps(await examine({}))).toEqual([]);
});
