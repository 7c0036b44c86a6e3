import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@weir/clock';
import { topics } from '@weir/contracts';
import { type EmbeddedPostgres, restoreBackup, setBackupFolder, startEmbeddedPostgres, takeBackup } from '@weir/postgres';
import { startUpstream } from '@weir/risk-client/testing';
import { storeToken } from '@weir/service-kit';
import { services } from '../chaos/deployment.ts';
import { Fleet } from '../chaos/fleet.ts';
import { openOn } from '../chaos/kafka.ts';
import { TopicReader } from '../chaos/topic-reader.ts';
import { startKafka } from '../support/stack/kafka.ts';
import { postmasterPid } from '../support/stack/installation.ts';
import { seededRandom } from '../support/stack/random.ts';
import { startRedis } from '../support/stack/redis.ts';
import { startRegistry } from '../support/stack/registry.ts';
import { checkRestored, type Outcome } from './check.ts';
import { type Drill, type DrillOptions, runWeir, untilClosed, upstreamSettings, verifyAudit } from './drill.ts';
import { Load, type Place, type Point, type Told } from './load.ts';

const callers = 6;
/** Eight processes with a pool each. */
const maxConnections = 200;
/** Outside the database, on other disks. */
const outside = ['audit', 'permit-journal'];

/**
 * The production tier: two processes of each service, PostgreSQL with backups, brokers that no restore reaches. Each restore begins with the
 * brokers, the journal and the checkpoints as the load left them.
 */
export async function runKafka({ points: wanted, actions, seed }: DrillOptions): Promise<Drill> {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step().catch(() => undefined);
  };
  const kept = async <T>(starting: Promise<T>, stop: (started: T) => Promise<void>): Promise<T> => {
    const started = await starting;
    closing.push(() => stop(started));
    return started;
  };
  const top = mkdtempSync(join(tmpdir(), 'weir-restore-'));
  closing.push(async () => rmSync(top, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  // PostgreSQL refuses to run as root; its user needs access to the folder.
  chmodSync(top, 0o711);
  try {
    const upstream = await kept(startUpstream(), (it) => it.close());
    const kafka = await kept(startKafka(), (it) => it.stop());
    const redis = await kept(startRedis({ own: true }), (it) => it.stop());
    const registry = await kept(startRegistry(), (it) => it.stop());
    const backups = join(top, 'backups');
    const env: NodeJS.ProcessEnv = {
      ...upstreamSettings(upstream),
      KAFKA_BROKERS: kafka.brokers,
      REDIS_URL: redis.url,
      SCHEMA_REGISTRY_URL: registry.url,
      WEIR_PERMIT_KEY_SECRET: randomBytes(24).toString('hex'),
      WEIR_LOG_LEVEL: 'warn',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'weir-compile-cache'),
    };
    let postgres: EmbeddedPostgres | undefined;
    closing.push(async () => postgres?.stop());
    /** Of the folder `name`, where the journal and the checkpoints are too. */
    const use = async (dataDir: string): Promise<void> => {
      postgres = await startEmbeddedPostgres({ dataDir, clock: systemClock, maxConnections });
      env['DATABASE_URL'] = postgres.url;
      env['WEIR_AUDIT_DIR'] = join(dataDir, 'audit');
      env['WEIR_PERMIT_JOURNAL'] = join(dataDir, 'permit-journal');
    };
    const stop = async (): Promise<void> => {
      await fleet.end(services, 'both', 'SIGTERM');
      await postgres?.stop();
      postgres = undefined;
    };
    const own = join(top, 'own');
    for (const name of outside) mkdirSync(join(own, name), { recursive: true });
    chmodSync(own, 0o711);
    setBackupFolder(own, backups);
    await use(own);
    await runWeir(['topics', 'apply'], env);
    const tokens = await storeTokens(env);
    const fleet = await Fleet.make(env, { logs: undefined, isComposed: true });
    closing.push(async () => void (await fleet.end(services, 'both', 'SIGKILL')));
    const gate = (): string => fleet.chosen(['withdrawal-gate'], 'first')[0]?.url ?? '';
    const place: Place = {
      urlOf: (role) => (role === 'gate' ? gate() : (fleet.chosen(['deposit-ingest'], 'first')[0]?.url ?? '')),
      token: (role) => tokens[role],
    };
    await fleet.start();
    const load = new Load(place, seededRandom(seed));
    const points: Point[] = [];
    await Promise.all([load.run(actions, callers), takeBackup({ dataDir: own, url: env['DATABASE_URL'] ?? '', clock: systemClock })]);
    for (let n = 0; n < wanted; n += 1) {
      const running = load.run(actions, callers);
      // Within the load: callers wait for their answers at this moment.
      await Promise.race([running, delay(200 + n * 50)]);
      points.push(load.point());
      await running;
    }
    await load.run(actions, callers);
    await stop();
    await kafka.kill();
    const brokers = join(top, 'brokers');
    cpSync(kafka.data, brokers, { recursive: true });
    const told = load.told();

    const reconciled = async (dataDir: string, point: Point, all: Told): Promise<Outcome> => {
      await use(dataDir);
      const [first] = fleet.chosen(['withdrawal-gate'], 'first');
      const starting = first?.start() ?? Promise.resolve();
      const closed = await untilClosed(gate(), starting);
      await runWeir(['reconcile', '--yes', '--json'], env);
      await starting;
      await fleet.start();
      const outcome = await checkRestored(
        {
          place,
          databaseUrl: env['DATABASE_URL'] ?? '',
          urls: fleet.chosen(services, 'both').map(({ url }) => url),
          doubledEvents: () => changedEvents(env),
        },
        point,
        all,
      );
      const verified = await verifyAudit([], env);
      await stop();
      return { ...outcome, violations: [...closed, ...outcome.violations, ...verified] };
    };
    const restore = async (point: Point | undefined): Promise<Outcome> => {
      rmSync(kafka.data, { recursive: true });
      cpSync(brokers, kafka.data, { recursive: true });
      await kafka.restart();
      const dataDir = mkdtempSync(join(top, 'restored-'));
      chmodSync(dataDir, 0o711);
      for (const name of outside) cpSync(join(own, name), join(dataDir, name), { recursive: true });
      const target = point === undefined ? ({ kind: 'latest' } as const) : ({ kind: 'time', at: point.at } as const);
      await restoreBackup({ dataDir, folder: backups, target, clock: systemClock });
      try {
        return await reconciled(dataDir, point ?? { at: new Date(), told }, told);
      } finally {
        await kafka.kill();
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    };
    const restoreAfterKill = async (): Promise<Outcome> => {
      rmSync(kafka.data, { recursive: true });
      cpSync(brokers, kafka.data, { recursive: true });
      await kafka.restart();
      await use(own);
      await fleet.start();
      await load.runUntil(async () => {
        const postmaster = postmasterPid(own);
        if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL');
        await Promise.all([fleet.end(services, 'both', 'SIGKILL'), kafka.kill()]);
        await postgres?.ended;
        postgres = undefined;
      }, callers);
      const all = load.told();
      await kafka.restart();
      await restoreBackup({ dataDir: own, folder: backups, target: { kind: 'latest' }, clock: systemClock });
      return reconciled(own, { at: new Date(), told: all }, all);
    };
    return { points, restore, restoreAfterKill, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function storeTokens(env: NodeJS.ProcessEnv): Promise<{ readonly ingest: string; readonly gate: string }> {
  const tokens = { ingest: randomBytes(32).toString('base64url'), gate: randomBytes(32).toString('base64url') };
  const pipeline = await openOn(env);
  try {
    for (const role of ['ingest', 'gate'] as const) await storeToken(pipeline.pool, tokens[role], role, 'drill');
    return tokens;
  } finally {
    await pipeline.close();
  }
}

/** Deliveries may repeat, with the same bytes. */
async function changedEvents(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const pipeline = await openOn(env);
  try {
    const found: string[] = [];
    for (const topic of topics) {
      const contents = new Map<string, string>();
      const changed = new Set<string>();
      for (const { headers, value } of await new TopicReader(topic).next(pipeline.log)) {
        const id = `${headers['ce_source']} ${headers['ce_id']}`;
        const bytes = value.toString('base64');
        if ((contents.get(id) ?? bytes) !== bytes) changed.add(id);
        contents.set(id, bytes);
      }
      if (changed.size > 0) found.push(`${changed.size} events of ${topic} with two contents: ${[...changed].slice(0, 3).join(', ')}`);
    }
    return found;
  } finally {
    await pipeline.close();
  }
}
