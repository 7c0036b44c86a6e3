import { systemClock } from '@weir/clock';
import { screeningId } from '@weir/contracts';
import type { TestDatabase } from '@weir/postgres/testing';
import { createApp, createLogger, loadConfig, type OpenPipeline, openPipeline, type Service, storeToken } from '@weir/service-kit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPipelineDatabase, migrateFor } from '@weir/service-kit/testing';
import { consoleRole, decided, publish, requested, scored, type TestEvent } from './events.testing.ts';
import { consoleSchema, type ScreeningView, startConsole, summarise } from './index.ts';

let db: TestDatabase;
const open: { pipeline: OpenPipeline; service: Service }[] = [];

beforeEach(async () => {
  db = await createPipelineDatabase([consoleRole]);
});
afterEach(async () => {
  for (const { pipeline, service } of open.splice(0)) {
    await service.stop();
    await pipeline.close();
  }
  await db.drop();
});

async function replica(consoleBatch = 250): Promise<OpenPipeline & { list(): Promise<ScreeningView[]> }> {
  const logger = createLogger({ service: 'console', level: 'silent' });
  const databaseUrl = await migrateFor(db, consoleRole);
  const pipeline = await openPipeline({ databaseUrl, clock: systemClock, logger, retentionMs: 3_600_000 });
  const service = await startConsole(pipeline, { ...loadConfig(consoleSchema, {}), consoleBatch });
  open.push({ pipeline, service });
  await storeToken(db.pool, 'token', 'auditor', 'test');
  const list = async (): Promise<ScreeningView[]> => {
    const answer = await createApp(logger, service.operations).request('/v1/screenings?limit=200', {
      headers: { authorization: 'Bearer token' },
    });
    return ((await answer.json()) as { items: ScreeningView[] }).items;
  };
  return { ...pipeline, list };
}

async function allRead({ log }: OpenPipeline): Promise<void> {
  await vi.waitFor(
    async () => {
      const lags = await log.lag('console');
      expect(lags.length).toBeGreaterThan(0);
      expect(lags.filter(({ lag }) => lag > 0n)).toEqual([]);
    },
    { timeout: 20_000, interval: 20 },
  );
}

test('two replicas make one list of what is published in any order and again', async () => {
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  const first = await replica(7);
  const events = (n: number): TestEvent[] => [requested('deposit', n), scored('deposit', n), decided('deposit', n)];
  await publish(
    first,
    numbers.toReversed().flatMap((n) => events(n).toReversed()),
  );
  const second = await replica(7);
  await publish(second, numbers.flatMap(events));
  await allRead(first);
  const items = await second.list();
  expect(items.map(({ screening_id }) => screening_id)).toEqual(numbers.toReversed().map((n) => screeningId('deposit', `deposit-${n}`)));
  for (const item of items)
    expect(item).toMatchObject({ status: 'blocked', result: { score: 95 }, direction: 'deposit', decisions: [{ revision: 1 }] });
  expect(await summarise(first.pool)).toEqual([{ kind: 'deposit', action: 'block', level: 'Severe', count: 60 }]);
});

test('what cannot be read goes to the dead letters and stops nothing', async () => {
  const pipeline = await replica();
  await pipeline.log.publish([{ topic: 'screenings.requested', key: 'deposit-1', value: Buffer.from('{}'), headers: {} }]);
  await publish(pipeline, [requested('deposit', 1, { screening_id: 'none' }), requested('deposit', 1)]);
  await allRead(pipeline);
  expect((await pipeline.list()).map(({ status }) => status)).toEqual(['open']);
  const dead = await pipeline.log.read('screenings.requested.dlq', 0, 0n, 10);
  expect(dead.map(({ headers }) => headers['weir_reason'])).toEqual(['UNDECODABLE', 'INVALID_SCREENING_ID']);
});
