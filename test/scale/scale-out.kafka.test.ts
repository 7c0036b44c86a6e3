import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { openKafkaLog } from '@weir/event-log/kafka';
import { type EmbeddedPostgres, openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';
import { startUpstream, type Upstream } from '@weir/risk-client/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startKafka, type TestKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';
import { longestPause, readDecisions } from './decisions.ts';
import { type Shares, watchGroups } from './groups.ts';
import { type Replica, startReplica } from './replica.ts';
import { SteadyLoad } from './steady-load.ts';

/** Shared by every process of this run across restarts. */
const permitKeySecret = randomBytes(24).toString('hex');

/** About five decisions a second per partition, so that a pause of one partition shows. */
const perSecond = 20;
const longestPauseMs = 10_000;
const names = ['deposit-ingest', 'withdrawal-gate', 'scoring', 'decision', 'audit-writer', 'console'] as const;
type Name = (typeof names)[number];
/** Counters of work. The other services show only their partition assignment. */
const worked: Partial<Record<Name, string>> = {
  decision: 'weir_decisions_total',
  scoring: 'weir_upstream_requests_total',
  'audit-writer': 'weir_audit_entries_total',
};

const dataDir = mkdtempSync(join(tmpdir(), 'weir-scale-'));
let kafka: TestKafka;
let upstream: Upstream;
let database: EmbeddedPostgres;
let pool: Pool;
let env: NodeJS.ProcessEnv;
let groups: { shares: Shares; close(): Promise<void> };
const all: Replica[] = [];
const living = new Map<Name, Replica[]>(names.map((name) => [name, []]));

beforeAll(async () => {
  // Its own broker: topics and groups have fixed names.
  const starting = startEmbeddedPostgres({ dataDir, clock: systemClock, maxConnections: 200 });
  [kafka, upstream, database] = await Promise.all([startKafka({ properties: unkilled }), startUpstream(), starting]);
  pool = openPool({ url: database.url, max: 2 });
  env = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafka.brokers,
    SCHEMA_REGISTRY_URL: process.env[variables.registry] ?? '',
    WEIR_UPSTREAM_URL: upstream.url,
    WEIR_UPSTREAM_API_KEY: upstream.apiKey,
    WEIR_UPSTREAM_PER_SECOND: '1000',
    WEIR_UPSTREAM_PER_DAY: '1000000',
    WEIR_PERMIT_KEY_SECRET: permitKeySecret,
  };
  groups = await watchGroups(kafka.brokers);
  expect(await weir(['topics', 'apply'], { env })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await Promise.all(all.map((replica) => replica.remove()));
  await groups.close();
  await upstream.close();
  await kafka.stop();
  await pool.end();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const of = (name: Name): Replica[] => living.get(name) ?? [];

async function add(name: Name): Promise<void> {
  const replica = await startReplica(name, env);
  all.push(replica);
  of(name).push(replica);
}

/** Removes and returns the oldest replica. */
function leave(name: Name): Replica {
  const replica = of(name).shift();
  if (replica === undefined) throw new Error(`no ${name} is left`);
  return replica;
}

/** Waits until the service's replicas have about equally many partitions. */
async function shared(name: Name): Promise<void> {
  await vi.waitFor(
    async () => {
      const shares = (await groups.shares(name)) ?? [];
      expect(shares, name).toHaveLength(of(name).length);
      expect((shares.at(-1) ?? 0) - (shares[0] ?? 0), `${name}: ${shares.join(' ')}`).toBeLessThanOrEqual(of(name).length);
      expect(shares[0], name).toBeGreaterThan(0);
    },
    { timeout: 30_000, interval: 200 },
  );
}

/** Waits until every replica of the service works. */
async function works(name: Name): Promise<void> {
  const metric = worked[name];
  if (metric === undefined) return;
  for (const replica of of(name)) {
    const before = await replica.count(metric);
    await vi.waitFor(async () => expect(await replica.count(metric)).toBeGreaterThan(before), { timeout: 20_000, interval: 200 });
  }
}

test('replicas come, leave and are killed under load: the work is shared, nothing is decided twice, and no pause is long', async () => {
  for (const name of names) await add(name);
  const created = await weir(['keys', 'create', '--role', 'ingest', '--name', 'scale', '--json'], { env });
  const token = (JSON.parse(created.stdout) as { token: string }).token;
  const load = new SteadyLoad({ targets: () => of('deposit-ingest').map(({ url }) => url), token, perSecond });
  const log = openKafkaLog({ connection: { brokers: [kafka.brokers] }, clock: systemClock });
  const phases: { name: string; from: number; to: number }[] = [];
  const phase = async (name: string, change: () => Promise<unknown>, services: readonly Name[]): Promise<void> => {
    const from = systemClock.now();
    await change();
    for (const each of services) await shared(each);
    for (const each of services) await works(each);
    phases.push({ name, from, to: systemClock.now() });
  };
  try {
    await vi.waitFor(async () => expect(await of('decision')[0]?.count('weir_decisions_total')).toBeGreaterThan(50), {
      timeout: 30_000,
      interval: 200,
    });
    await phase('one of each', async () => undefined, names);
    for (const name of names) await phase(`a second ${name}`, () => add(name), [name]);
    for (const name of ['decision', 'scoring'] as const) await phase(`a third ${name}`, () => add(name), [name]);
    for (const name of ['decision', 'scoring'] as const) await phase(`${name} killed`, () => leave(name).kill(), [name]);
    for (const name of ['decision', 'scoring'] as const)
      await phase(`${name} stopped`, async () => expect(await leave(name).terminate()).toBe('0'), [name]);
    const others = names.filter((name) => of(name).length > 1);
    await phase(`${others.join(', ')} killed`, () => Promise.all(others.map((name) => leave(name).kill())), others);
  } finally {
    await load.stop();
  }

  const screenings = [...load.acknowledged];
  await vi.waitFor(
    async () => {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(DISTINCT screening_id)::int AS count FROM decision.decisions WHERE screening_id = ANY($1)',
        [screenings],
      );
      expect(rows[0]?.count).toBe(screenings.length);
    },
    { timeout: 60_000, interval: 500 },
  );
  const { rows: twice } = await pool.query(
    'SELECT screening_id FROM decision.decisions GROUP BY screening_id HAVING count(*) > 1 OR max(revision) > 1',
  );
  expect(twice).toEqual([]);

  const published = async (): Promise<number> => new Set((await readDecisions(log)).map(({ id }) => id)).size;
  await vi.waitFor(async () => expect(await published()).toBe(screenings.length), { timeout: 30_000, interval: 500 });
  const decisions = await readDecisions(log);
  await log.close();
  const contents = Map.groupBy(decisions, ({ id }) => id);
  expect([...contents.values()].filter((each) => new Set(each.map(({ content }) => content)).size > 1)).toEqual([]);
  process.stdout.write(`${screenings.length} deposits, ${decisions.length} decisions published, ${contents.size} of them different\n`);
  const pauses = phases.map(({ name, from, to }) => ({ name, ...longestPause(decisions, from, to) }));
  for (const { name, all: overall, partition } of pauses)
    process.stdout.write(`${name}: longest pause ${overall} ms, of a partition ${partition} ms\n`);
  expect(pauses.filter(({ partition }) => partition >= longestPauseMs)).toEqual([]);
}, 900_000);
