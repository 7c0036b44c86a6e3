import { type Clock, systemClock } from '@weir/clock';
import { deadLetterTopic, eventId, type Topic, topicSpecs, type TopicRecords } from '@weir/contracts';
import type { EventLog, LogRecord } from '@weir/event-log';
import { grantAccess, type Migration, migrate, type Pool, urlOfRole } from '@weir/postgres';
import { createTestDatabase, type TestDatabase, type TestTemplate } from '@weir/postgres/testing';
import type { AccessSettings } from './access/settings.ts';
import { databaseAccess, type DatabaseUser, roleOf } from './database-access.ts';
import type { KafkaTier } from './kafka-connection.ts';
import { createLogger } from './logger.ts';
import { type OpenPipeline, openPipeline, type Pipeline, type Service, sharedMigrations } from './pipeline.ts';

export { startTestProvider, testAudience, type TestProvider } from './access/provider.testing.ts';

/** Real pipelines on one test database, each as in its own process. */
export interface TestStack {
  readonly db: TestDatabase;
  pipeline(options?: TestOptions): Promise<OpenPipeline>;
  service(start: (pipeline: Pipeline) => Promise<Service>, options?: TestOptions): Promise<TestService>;
  /** Stops everything, last first, and drops the database. */
  close(): Promise<void>;
}

interface TestOptions {
  readonly clock?: Clock;
  readonly access?: Partial<AccessSettings>;
  /** Overrides the stack's tier, e.g. with other credentials. */
  readonly tier?: KafkaTier;
  /** Connects as this service's role; default: as the owner. */
  readonly role?: TestRole;
}

/** As on Kafka, whose log takes no part in transactions. */
export function withLogElsewhere<T extends Pipeline>(pipeline: T): T {
  const { log } = pipeline;
  const elsewhere: EventLog = {
    createTopics: (topics) => log.createTopics(topics),
    publish: (records) => log.publish(records),
    subscribe: (options) => log.subscribe(options),
    read: (topic, partition, from, limit) => log.read(topic, partition, from, limit),
    partitions: (topic) => log.partitions(topic),
    ends: (topic) => log.ends(topic),
    lag: (group) => log.lag(group),
    resume: (gaps) => log.resume(gaps),
    forget: (group) => log.forget(group),
    close: () => log.close(),
  };
  return { ...pipeline, log: elsewhere };
}

/** A service, and the modules that the owner migrates for it. */
export interface TestRole {
  readonly service: DatabaseUser;
  readonly modules: Readonly<Record<string, readonly Migration[]>>;
}

/** With the shared modules, the topics of the PostgreSQL log, and the modules of these roles. */
function templateFor(roles: readonly TestRole[]): TestTemplate {
  return {
    content: [sharedMigrations, topicSpecs, databaseAccess, roles],
    ...(roles.length > 0 && { access: databaseAccess }),
    make: async (databaseUrl) => {
      const logger = createLogger({ service: 'test', level: 'silent' });
      const owner = await openPipeline({ databaseUrl, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
      for (const { modules } of roles) await migrateModules(owner.pool, modules);
      if (roles.length > 0) await grantAccess(owner.pool, databaseAccess);
      await owner.close();
    },
  };
}

/** Of each database from a template with roles. */
const rolesOf = new WeakMap<TestDatabase, readonly TestRole[]>();

/** A database that every service can be migrated on, or opened as its owner. It comes migrated for `roles`, which takes no time. */
export async function createPipelineDatabase(roles: readonly TestRole[] = []): Promise<TestDatabase> {
  const database = await createTestDatabase(templateFor(roles));
  rolesOf.set(database, roles);
  return database;
}

/** Migrates a service's modules as the owner, on `createPipelineDatabase`. Returns the URL of the service's role. */
export async function migrateFor(database: TestDatabase, role: TestRole): Promise<string> {
  const { url, pool } = database;
  const isMigrated = rolesOf.get(database)?.includes(role) === true;
  if (!isMigrated) await migrateModules(pool, role.modules);
  if (!isMigrated || (await hasNewRelations(pool))) await grantAccess(pool, databaseAccess);
  return urlOfRole(url, roleOf(role.service));
}

async function migrateModules(pool: Pool, modules: TestRole['modules']): Promise<void> {
  for (const [module, steps] of Object.entries(modules)) await migrate(pool, module, steps);
}

/** Whether a test made relations since: `grantAccess` leaves none without a list of privileges. */
async function hasNewRelations(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM pg_class WHERE relkind IN ('r', 'p', 'v') AND oid >= 16384 AND relacl IS NULL LIMIT 1`,
  );
  return rowCount !== 0;
}

export interface TestService {
  readonly pipeline: OpenPipeline;
  readonly service: Service;
  /** Stops this one as its process would; `close` does it otherwise. */
  stop(): Promise<void>;
}

/** `tier` selects its Kafka, where the topics must exist. `roles` are those of its services, which then start at once. */
export async function openTestStack({ tier, roles = [] }: { tier?: KafkaTier; roles?: readonly TestRole[] } = {}): Promise<TestStack> {
  const db = await createPipelineDatabase(roles);
  const undo: (() => Promise<void>)[] = [];
  const open = async (options: TestOptions = {}): Promise<OpenPipeline> => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    const clock = options.clock ?? systemClock;
    return openPipeline({
      databaseUrl: options.role === undefined ? db.url : await migrateFor(db, options.role),
      tier: options.tier ?? tier,
      clock,
      logger,
      poolSize: 4,
      retentionMs: 3_600_000,
      access: options.access,
    });
  };
  return {
    db,
    pipeline: async (options) => {
      const pipeline = await open(options);
      undo.push(() => pipeline.close());
      return pipeline;
    },
    service: async (start, options) => {
      const pipeline = await open(options);
      const service = await start(pipeline);
      let stopping: Promise<void> | undefined;
      const stop = (): Promise<void> => (stopping ??= service.stop().then(() => pipeline.close()));
      undo.push(stop);
      return { pipeline, service, stop };
    },
    close: async () => {
      for (const step of undo.splice(0).toReversed()) await step();
      await db.drop();
    },
  };
}

/** Publishes as another program would: a topic's record, or arbitrary bytes. */
export async function publishTo<T extends Topic>(
  pipeline: Pipeline,
  topic: T,
  ...records: readonly (TopicRecords[T] | Buffer)[]
): Promise<void> {
  await pipeline.log.publish(
    records.map((record) => {
      const value = Buffer.isBuffer(record) ? record : pipeline.codec.encode(topic, record);
      return {
        topic,
        key: Buffer.isBuffer(record) ? 'bytes' : keyOf(record),
        value,
        headers: { ce_id: eventId(topic, value.toString('hex')) },
      };
    }),
  );
}

/** As the services use it: the transfer's id, if there is one. */
function keyOf(record: TopicRecords[Topic]): string {
  if ('transfer' in record) return record.transfer.source_id;
  if ('deposit_id' in record) return record.deposit_id;
  if ('change_id' in record) return 'labels';
  if ('activity_id' in record) return record.subject;
  return 'withdrawal_id' in record ? record.withdrawal_id : record.screening_id;
}

export interface TopicEvent<T extends Topic> {
  /** `ce_id`. */
  readonly id: string;
  readonly data: TopicRecords[T];
  readonly record: LogRecord;
}

/** Every event of a topic, in partition order. */
export async function readTopic<T extends Topic>(pipeline: Pipeline, topic: T): Promise<TopicEvent<T>[]> {
  const records = await readAll(pipeline, topic);
  return Promise.all(
    records.map(async (record) => ({ id: record.headers['ce_id'] ?? '', data: await pipeline.codec.decode(topic, record.value), record })),
  );
}

export async function deadLetters(pipeline: Pipeline, topic: Topic): Promise<LogRecord[]> {
  return readAll(pipeline, deadLetterTopic(topic));
}

async function readAll({ log }: Pipeline, topic: string): Promise<LogRecord[]> {
  const partitions = Array.from({ length: await log.partitions(topic) }, (_, partition) => partition);
  return (await Promise.all(partitions.map((partition) => log.read(topic, partition, 0n, 10_000)))).flat();
}

/** Resolves when the group has committed everything published so far; rejects after 120 seconds. */
export async function caughtUp({ log }: Pipeline, group: string): Promise<void> {
  const end = systemClock.monotonic() + 120_000;
  for (;;) {
    const lags = await log.lag(group);
    if (lags.length > 0 && lags.every(({ lag }) => lag === 0n)) return;
    if (systemClock.monotonic() > end) throw new Error(`${group} has not caught up`);
    await systemClock.sleep(10);
  }
}
