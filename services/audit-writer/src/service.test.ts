import { systemClock } from '@weir/clock';
import { type DepositDetected, deadLetterTopic, eventId, screeningId, topics } from '@weir/contracts';
import { resolved, scored } from '@weir/contracts/testing';
import type { OutgoingRecord } from '@weir/event-log';
import type { TestDatabase } from '@weir/postgres/testing';
import { createLogger, type OpenPipeline, openPipeline, type Service } from '@weir/service-kit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPipelineDatabase, migrateFor, type TestRole } from '@weir/service-kit/testing';
import { type AuditEntry, auditMigrations, exportEntries, startAuditWriter } from './index.ts';

const auditRole: TestRole = { service: 'audit-writer', modules: { audit: auditMigrations } };

let db: TestDatabase;
let lines: string[];
const open: { pipeline: OpenPipeline; service: Service }[] = [];

beforeEach(async () => {
  db = await createPipelineDatabase([auditRole]);
  lines = [];
});
afterEach(async () => {
  for (const { pipeline, service } of open.splice(0)) {
    await service.stop();
    await pipeline.close();
  }
  await db.drop();
});

async function replica(auditBatch = 500): Promise<OpenPipeline> {
  const databaseUrl = await migrateFor(db, auditRole);
  const logger = createLogger({ service: 'audit-writer', level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
  const pipeline = await openPipeline({ databaseUrl, clock: systemClock, logger, retentionMs: 3_600_000 });
  open.push({ pipeline, service: await startAuditWriter(pipeline, { auditBatch }) });
  return pipeline;
}

function event(topic: string, n: number, value = `event ${n}`): OutgoingRecord {
  return { topic, key: `d-${n}`, value: Buffer.from(value), headers: { ce_id: eventId(topic, n) } };
}

/** Waits until the group has no lag. */
async function entries({ log, pool }: OpenPipeline): Promise<AuditEntry[]> {
  await vi.waitFor(
    async () => {
      const lags = await log.lag('audit-writer');
      expect(lags.length).toBeGreaterThan(0);
      expect(lags.filter(({ lag }) => lag > 0n)).toEqual([]);
    },
    { timeout: 20_000, interval: 20 },
  );
  return Array.fromAsync(exportEntries(pool));
}

const metric = async ({ metrics }: OpenPipeline, name: string): Promise<number> =>
  (await metrics.registry.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;

test('every event of every topic and of every dead letter topic is kept, and counted', async () => {
  const pipeline = await replica();
  const everywhere = topics.flatMap((topic) => [topic, deadLetterTopic(topic)]);
  await pipeline.log.publish(everywhere.map((topic) => event(topic, 1)));
  const kept = await entries(pipeline);
  expect(kept.map(({ topic }) => topic).sort()).toEqual([...everywhere].sort());
  expect(kept.find(({ topic }) => topic === 'deposits.detected')?.screening_id).toBe(screeningId('deposit', 'd-1'));
  expect(kept.find(({ topic }) => topic === 'withdrawals.requested.dlq')?.screening_id).toBe(screeningId('withdrawal', 'd-1'));
  expect(await metric(pipeline, 'weir_audit_entries_total')).toBe(everywhere.length);
});

test('an event of another producer without a traceparent is found by the transfer in its content', async () => {
  const pipeline = await replica();
  const { codec } = pipeline;
  const foreign = (topic: string, key: string, value: Buffer): OutgoingRecord => ({ topic, key, value, headers: {} });
  const result = scored('d-7');
  const detected: DepositDetected = { ...result.transfer, deposit_id: 'd-7', detected_at: 1 };
  await pipeline.log.publish([
    foreign('screenings.scored', 'k', codec.encode('screenings.scored', result)),
    foreign('screenings.scored.dlq', 'k', codec.encode('screenings.scored', result)),
    foreign('reviews.resolved', 'k', codec.encode('reviews.resolved', resolved(result.screening_id))),
    foreign('deposits.detected', 'another key', codec.encode('deposits.detected', detected)),
    foreign('screenings.decided', 'k', Buffer.from('unreadable')),
  ]);
  const kept = await entries(pipeline);
  const screening = screeningId('deposit', 'd-7');
  expect(Object.fromEntries(kept.map(({ topic, screening_id }) => [topic, screening_id]))).toEqual({
    'screenings.scored': screening,
    'screenings.scored.dlq': screening,
    'reviews.resolved': screening,
    'deposits.detected': screening,
    'screenings.decided': null,
  });
});

test('two replicas keep each event once, however often it is published, and count each once', async () => {
  const first = await replica(7);
  const numbers = Array.from({ length: 120 }, (_, n) => n);
  await first.log.publish(numbers.map((n) => event('screenings.scored', n)));
  const second = await replica(7);
  await second.log.publish(numbers.toReversed().map((n) => event('screenings.scored', n)));
  await first.log.publish(numbers.map((n) => event('screenings.decided', n)));
  const kept = await entries(first);
  expect(kept.map(({ index }) => index)).toEqual(kept.map((_, n) => BigInt(n)));
  expect(kept.map(({ event_id }) => event_id).sort()).toEqual(
    ['screenings.scored', 'screenings.decided'].flatMap((topic) => numbers.map((n) => eventId(topic, n))).sort(),
  );
  expect((await metric(first, 'weir_audit_entries_total')) + (await metric(second, 'weir_audit_entries_total'))).toBe(240);
});

test('an event under a used id is kept, counted and told of', async () => {
  const pipeline = await replica();
  await pipeline.log.publish([event('screenings.scored', 1), event('screenings.scored', 1, 'something else')]);
  expect((await entries(pipeline)).map(({ value, conflicts_with }) => [value.toString(), conflicts_with])).toEqual([
    ['event 1', null],
    ['something else', eventId('screenings.scored', 1)],
  ]);
  expect(await metric(pipeline, 'weir_audit_conflicts_total')).toBe(1);
  expect(lines.filter((line) => line.includes(eventId('screenings.scored', 1)))).toHaveLength(1);
});

test('what was published before the writer ever ran is kept, and a restart adds nothing', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const before = await openPipeline({ databaseUrl: db.url, clock: systemClock, logger, retentionMs: 3_600_000 });
  await before.log.publish([event('screenings.scored', 1), event('screenings.scored', 2)]);
  await before.close();
  const first = await replica();
  expect(await entries(first)).toHaveLength(2);
  await open[0]?.service.stop();
  const second = await replica();
  await second.log.publish([event('screenings.scored', 3)]);
  expect((await entries(second)).map(({ key }) => key)).toHaveLength(3);
});

test('what is yet to be written is shown for each topic', async () => {
  const pipeline = await replica();
  await pipeline.log.publish([event('screenings.scored', 1)]);
  await entries(pipeline);
  await open[0]?.service.stop();
  await pipeline.log.publish([event('screenings.scored', 2), event('screenings.scored', 3), event('screenings.decided', 4)]);
  const shown = await pipeline.metrics.scrape();
  expect(shown).toContain('weir_consumer_lag{topic="screenings.scored",group="audit-writer"} 2');
  expect(shown).toContain('weir_consumer_lag{topic="screenings.decided",group="audit-writer"} 1');
  expect(shown).toContain('weir_consumer_lag{topic="deposits.detected",group="audit-writer"} 0');
});
