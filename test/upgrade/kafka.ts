import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { topicAcls } from '@weir/contracts';
import { startEmbeddedPostgres, urlOfRole } from '@weir/postgres';
import { roleOf } from '@weir/service-kit';
import { expect, vi } from 'vitest';
import { openOn } from '../chaos/kafka.ts';
import { runWeir } from '../restore/drill.ts';
import { type Replica, startReplica } from '../scale/replica.ts';
import { openGateway } from '../support/stack/gateway.ts';
import { saslUser, startKafka } from '../support/stack/kafka.ts';
import { provideRedis } from '../support/stack/native.ts';
import { startRedis } from '../support/stack/redis.ts';
import { startRegistry } from '../support/stack/registry.ts';
import { writeChainData } from './chain-data.ts';
import type { LoadOptions, Role } from './load.ts';
import { type Outcome, settings, underLoad } from './phases.ts';
import { today, type Version } from './versions.ts';

/** In the order of `deploy/README.md#upgrade`: the gate comes last, and goes back first. */
const groups = [['risk-api', 'deposit-ingest', 'scoring', 'decision', 'audit-writer', 'console'], ['withdrawal-gate']] as const;
type Name = (typeof groups)[number][number];

/** Counters of work: each replica must do some beside those of the other version. */
const worked: Partial<Record<Name, string>> = {
  scoring: 'weir_upstream_requests_total',
  decision: 'weir_decisions_total',
  'audit-writer': 'weir_audit_entries_total',
};
const serviceOf: Readonly<Record<Role, Name>> = {
  ingest: 'deposit-ingest',
  gate: 'withdrawal-gate',
  reviewer: 'console',
  approver: 'console',
};
/** Two versions of seven services with a pool each. */
const maxConnections = 300;

interface Credentials {
  readonly tokens: Readonly<Record<Role, string>>;
  readonly standard_api_key: string;
}

/** Replicas of two versions side by side, each service with its own database role and Kafka user, as `docker-compose.yml` has them. */
export async function upgradeOnKafka(before: Version, options: LoadOptions): Promise<Outcome> {
  await provideRedis();
  const closing: (() => unknown)[] = [];
  const kept = async <T>(starting: Promise<T>, stop: (started: T) => unknown): Promise<T> => {
    const started = await starting;
    closing.push(() => stop(started));
    return started;
  };
  const top = mkdtempSync(join(tmpdir(), 'weir-upgrade-'));
  closing.push(() => rmSync(top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  // PostgreSQL refuses to run as root; its user needs access to the folder.
  chmodSync(top, 0o711);
  try {
    const users = Object.fromEntries([...new Set(topicAcls.map(({ user }) => user))].map((user) => [user, `password-of-${user}`]));
    const dataDir = join(top, 'database');
    mkdirSync(dataDir, { mode: 0o711 });
    const [kafka, redis, registry, postgres] = await Promise.all([
      kept(startKafka({ users }), (it) => it.stop()),
      kept(startRedis({ own: true }), (it) => it.stop()),
      kept(startRegistry(), (it) => it.stop()),
      kept(startEmbeddedPostgres({ dataDir, clock: systemClock, maxConnections }), (it) => it.stop()),
    ]);
    const living = new Map<Name, Replica[]>(groups.flat().map((name) => [name, []]));
    const all: Replica[] = [];
    closing.push(() => Promise.all(all.map((replica) => replica.remove())));
    const of = (name: Name): Replica[] => living.get(name) ?? [];
    let turn = 0;
    // Scoring has one address of the risk API, behind which are both versions.
    const risk = await kept(
      openGateway(() => ({ host: '127.0.0.1', port: Number(new URL(nextOf(of('risk-api'), turn++).url).port) })),
      (it) => it.close(),
    );
    const shared: NodeJS.ProcessEnv = {
      ...settings,
      REDIS_URL: redis.url,
      SCHEMA_REGISTRY_URL: registry.url,
      WEIR_AUDIT_DIR: join(top, 'audit'),
      WEIR_PERMIT_JOURNAL: join(top, 'permit-journal'),
    };
    for (const folder of ['audit', 'permit-journal']) mkdirSync(join(top, folder));
    const operator: NodeJS.ProcessEnv = {
      ...shared,
      DATABASE_URL: postgres.url,
      KAFKA_BROKERS: kafka.saslBrokers,
      KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: saslUser.username,
      KAFKA_SASL_PASSWORD: saslUser.password,
    };
    const weirOf =
      ({ root }: Version) =>
      (...args: readonly string[]): Promise<string> =>
        runWeir(args, operator, root);
    /** As before the services of each release. */
    const prepare = async (version: Version): Promise<void> => {
      const weir = weirOf(version);
      await weir('migrate');
      await weir('topics', 'apply', '--replication-factor', '1');
      await weir('topics', 'acls');
    };
    await prepare(before);
    const file = join(top, 'credentials.json');
    await weirOf(before)('keys', 'ensure', file, '--name', 'Ann');
    const created = await weirOf(before)('keys', 'create', '--role', 'approver', '--person', 'Ben', '--json');
    for (const args of writeChainData(top)) await weirOf(before)(...args);
    const credentials = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
    const tokens = { ...credentials.tokens, approver: (JSON.parse(created) as { token: string }).token };

    const envOf = (name: Name): NodeJS.ProcessEnv => ({
      ...operator,
      DATABASE_URL: urlOfRole(postgres.url, roleOf(name)),
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: name,
      KAFKA_SASL_PASSWORD: users[name],
      WEIR_UPSTREAM_URL: `http://127.0.0.1:${risk.port}`,
      WEIR_UPSTREAM_API_KEY: credentials.standard_api_key,
    });
    const start = async (version: Version, names: readonly Name[]): Promise<void> => {
      await Promise.all(
        names.map(async (name) => {
          const replica = await startReplica(name, envOf(name), version.root);
          all.push(replica);
          of(name).push(replica);
        }),
      );
    };
    /** Callers know that it will stop, as a load balancer does. */
    const stopOldest = async (names: readonly Name[]): Promise<void> => {
      for (const name of names) expect(await of(name).shift()?.terminate(), name).toBe('0');
    };
    const works = async (): Promise<void> => {
      for (const [name, metric] of Object.entries(worked))
        for (const replica of of(name as Name)) {
          const had = await replica.count(metric);
          await vi.waitFor(async () => expect(await replica.count(metric), name).toBeGreaterThan(had), { interval: 200 });
        }
    };
    await start(before, groups.flat());
    const place = { urls: (role: Role) => of(serviceOf[role]).map(({ url }) => url), token: (role: Role) => tokens[role] };
    const checked = { open: () => openOn(operator), auditDir: join(top, 'audit'), flags: [], env: operator };
    return await underLoad(place, options, checked, [before, today], async ({ phase, during }) => {
      /** From one version to the other: one group of services after the other. */
      const replace = async (by: Version, inOrder: readonly (readonly Name[])[]): Promise<void> => {
        for (const group of inOrder) {
          await during(`${by.name} starts ${group.join(', ')}`, () => start(by, group));
          await phase(`${group.join(', ')} of both`, works);
          await during(`${group.join(', ')} stop for ${by.name}`, () => stopOldest(group));
          await phase(`${group.join(', ')} of ${by.name}`, works);
        }
      };
      await phase('N', works);
      await during('N+1 migrates', () => prepare(today));
      await replace(today, groups);
      await replace(before, groups.toReversed());
    });
  } finally {
    for (const step of closing.toReversed()) await step();
  }
}

function nextOf(replicas: readonly Replica[], turn: number): Replica {
  const replica = replicas[turn % replicas.length];
  if (replica === undefined) throw new Error('no replica of the risk API');
  return replica;
}
