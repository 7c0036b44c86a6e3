import { chainStoreMigrations, endLabels, importChainRecords, withdrawLabels } from '@weir/chain-store';
import { label, recordsOf, unobserved } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { createLogger, type OpenPipeline, openPipeline, Outbox } from '@weir/service-kit';
import { createPipelineDatabase, migrateFor, readTopic, type TestRole } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scoringMigrations } from './index.ts';
import { publishLabelChanges } from './label-changes.ts';

const modules = { scoring: scoringMigrations };
const alone: TestRole = { service: 'scoring', modules };
const besideLabels: TestRole = { service: 'scoring', modules: { ...modules, 'chain-store': chainStoreMigrations } };
const why = { reason: 'case 17', person: 'ann' };

let db: TestDatabase;
const open: OpenPipeline[] = [];
beforeEach(async () => {
  db = await createPipelineDatabase([alone]);
});
afterEach(async () => {
  for (const pipeline of open.splice(0)) await pipeline.close();
  await db.drop();
});

async function replica(role: TestRole): Promise<{ pipeline: OpenPipeline; publish: () => Promise<number> }> {
  const databaseUrl = await migrateFor(db, role);
  const logger = createLogger({ service: 'scoring', level: 'silent' });
  const pipeline = await openPipeline({ databaseUrl, clock: systemClock, logger, retentionMs: 3_600_000 });
  open.push(pipeline);
  const outbox = new Outbox({ ...pipeline, service: 'scoring' });
  return { pipeline, publish: () => publishLabelChanges(pipeline.pool, outbox) };
}

const importLabels = () =>
  importChainRecords(db.pool, {
    kind: 'labels',
    key: 'a-key',
    name: 'list.csv',
    clock: systemClock,
    observer: unobserved,
    onRejected: () => undefined,
    read: (after) => recordsOf([label], after),
  });

test('imports and corrections of labels are published once, in order, with who decided them and why', async () => {
  const [one, other] = [await replica(besideLabels), await replica(besideLabels)];
  await importLabels();
  const { address, source, category } = label;
  const at = new Date('2024-03-01');
  await endLabels(db.pool, { addresses: [address], source, category, at }, why, unobserved);
  await withdrawLabels(db.pool, { source }, why, unobserved);
  const published = await Promise.all([one.publish(), other.publish()]);
  expect(published.toSorted()).toEqual([0, 3]);
  expect(await other.publish()).toBe(0);
  const events = await readTopic(one.pipeline, 'labels.changed');
  expect(events.map(({ record }) => [record.key, record.headers['traceparent'], record.headers['ce_source']])).toEqual(
    Array.from({ length: 3 }, () => ['labels', undefined, '/weir/scoring']),
  );
  const none = {
    import_key: null,
    file_name: null,
    source: null,
    category: null,
    addresses: [],
    ended_at: null,
    person: null,
    reason: null,
  };
  expect(events.map(({ data }) => data)).toMatchObject([
    { ...none, action: 'import', labels: 1, import_key: 'a-key', file_name: 'list.csv' },
    { ...none, action: 'end', labels: 1, addresses: [address], source, category, ended_at: at.getTime(), ...why },
    { ...none, action: 'withdraw', labels: 1, source, ...why },
  ]);
});

test('a change is published in the trace of the request that led to it', async () => {
  const { pipeline, publish } = await replica(besideLabels);
  await importLabels();
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  await db.pool.query('UPDATE chain.label_changes SET traceparent = $1', [`00-${trace}-${span}-01`]);
  await publish();
  const [event] = await readTopic(pipeline, 'labels.changed');
  const id = event?.record.headers['ce_id']?.replaceAll('-', '').slice(0, 16);
  expect(event?.record.headers['traceparent']).toBe(`00-${trace}-${id}-01`);
});

test('a change is published although its publisher was ended before', async () => {
  const { pipeline, publish } = await replica(besideLabels);
  await importLabels();
  const refusing = new Outbox({
    ...pipeline,
    log: { ...pipeline.log, publish: () => Promise.reject(new Error('away')) },
    service: 'scoring',
  });
  await expect(publishLabelChanges(pipeline.pool, refusing)).rejects.toThrow('away');
  const outbox = new Outbox({ ...pipeline, service: 'scoring' });
  const { rows } = await pipeline.pool.query<{ event_id: string }>('SELECT unnest(event_ids) AS event_id FROM outbox.batches');
  await outbox.publish(
    await outbox.load(
      pipeline.pool,
      rows.map(({ event_id }) => event_id),
    ),
  );
  expect(await publish()).toBe(0);
  expect(await readTopic(pipeline, 'labels.changed')).toHaveLength(1);
});

test('without labels in the database there is nothing to publish', async () => {
  const { publish } = await replica(alone);
  expect(await publish()).toBe(0);
});
