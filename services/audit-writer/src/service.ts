import { randomBytes } from 'node:crypto';
import { deadLetterTopic, topics } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import { migrate } from '@weir/postgres';
import { coalesce, measureLag, type Pipeline, type Service, traceRecords } from '@weir/service-kit';
import { append, TreeBehindError } from './append.ts';
import { type AuditWriterSettings, unsignedLog } from './config.ts';
import { readEntry } from './entry.ts';
import { createAuditMetrics } from './metrics.ts';
import { auditMigrations } from './migrations.ts';
import { startSigning } from './signing.ts';
import { takeIn } from './tree.ts';

const group = 'audit-writer';
/** Batches more: nothing waits for audit entries, and a transaction per event would slow the stages. */
const lingerMs = 250;
/** Entries of an earlier version that one transaction takes into the tree. */
const takenAtOnce = 500;

/** Without a folder for the key nothing is signed. */
type Settings = Pick<AuditWriterSettings, 'auditBatch'> & Partial<AuditWriterSettings>;

/** Writes every event of every topic, dead letters included, to the audit log once, and signs the log's tree. */
export async function startAuditWriter(pipeline: Pipeline, settings: Settings): Promise<Service> {
  const { pool, log, codec, logger } = pipeline;
  const metrics = createAuditMetrics(pipeline.metrics);
  await migrate(pool, 'audit', auditMigrations);
  await takeAllIn();
  const signing = await startSigning(pipeline, { ...unsignedLog, ...settings });
  measureLag(pipeline, group);
  const takingTurns = coalesce(write);
  const subscription = await log.subscribe({
    group,
    topics: topics.flatMap((topic) => [topic, deadLetterTopic(topic)]),
    maxInFlight: settings.auditBatch * 4,
    maxBatch: settings.auditBatch,
    lingerMs,
    // Batches wait here, because in the database each would occupy a connection.
    handle: (records) => traceRecords(group, records, async () => void (await takingTurns(records))),
    onError: (error, records) =>
      logger.warn({ err: error, count: records.length }, 'events could not be written to the audit log; trying again'),
  });
  return {
    operations: signing.operations,
    warnings: signing.warnings,
    stop: async () => {
      await subscription.stop();
      await signing.stop();
    },
  };

  async function write(records: readonly LogRecord[]): Promise<readonly never[]> {
    const entries = await Promise.all(records.map((record) => readEntry(record, codec)));
    const added = await append(pool, entries, randomBytes).catch(async (error: unknown) => {
      if (error instanceof TreeBehindError) await takeAllIn();
      throw error;
    });
    metrics.auditEntries.inc(added.length);
    for (const { eventId, conflictsWith, topic } of added) {
      if (conflictsWith === null) continue;
      metrics.auditConflicts.inc({ topic });
      logger.warn({ eventId, conflictsWith, topic }, 'an event came under the id of another; both are kept');
    }
    return [];
  }

  /** Entries that a version without the tree has written, before an upgrade or during it. */
  async function takeAllIn(): Promise<void> {
    for (;;) {
      const { isWhole, missing } = await takeIn(pool, { random: randomBytes, most: takenAtOnce });
      if (missing.length > 0)
        logger.error({ missing: missing.slice(0, 10), count: missing.length }, 'entries of the audit log were missing when its tree began');
      if (isWhole) return;
    }
  }
}
