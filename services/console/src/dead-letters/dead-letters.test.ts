import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { createApp, createLogger, loadConfig, type OpenPipeline, openPipeline, type Service, roles, storeToken } from '@weir/service-kit';
import { createPipelineDatabase, migrateFor } from '@weir/service-kit/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleRole } from '../events.testing.ts';
import { consoleSchema, startConsole } from '../index.ts';

let db: TestDatabase;
let pipeline: OpenPipeline;
let service: Service;
let fetch: (path: string, role?: string, method?: string) => Promise<Response>;
let send: (path: string, role?: string, method?: string) => Promise<{ status: number; body: Record<string, unknown> }>;

const dead = (topic: string, key: string) => ({
  topic: `${topic}.dlq`,
  key,
  value: Buffer.from(`{"of":"${key}"}`),
  headers: { ce_id: key, weir_reason: 'UNDECODABLE', weir_detail: 'no schema', weir_partition: '2', weir_offset: '7' },
});

beforeAll(async () => {
  db = await createPipelineDatabase([consoleRole]);
  const logger = createLogger({ service: 'console', level: 'silent' });
  pipeline = await openPipeline({
    databaseUrl: await migrateFor(db, consoleRole),
    clock: systemClock,
    logger,
    retentionMs: 3_600_000,
  });
  service = await startConsole(pipeline, loadConfig(consoleSchema, {}));
  for (const role of roles) await storeToken(db.pool, `token-${role}`, role, role);
  const app = createApp(logger, service.operations);
  fetch = async (path, role = 'admin', method = 'GET') => app.request(path, { method, headers: { authorization: `Bearer token-${role}` } });
  send = async (...asked) => {
    const answer = await fetch(...asked);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const { log } = pipeline;
  await log.publish([dead('deposits.detected', 'a'), dead('deposits.detected', 'b'), dead('screenings.scored', 'c')]);
});
afterAll(async () => {
  await service?.stop();
  await pipeline?.close();
  await db?.drop();
});

const keysOf = ({ body }: { body: Record<string, unknown> }): string[] => (body['items'] as { key: string }[]).map(({ key }) => key);

test('dead letters are listed by topic, page by page', async () => {
  expect(keysOf(await send('/v1/dead-letters'))).toEqual(['a', 'b', 'c']);
  expect(keysOf(await send('/v1/dead-letters?topic=screenings.scored'))).toEqual(['c']);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await send(`/v1/dead-letters?limit=1${cursor}`);
    seen.push(...keysOf(page));
    if (page.body['next_cursor'] === null) break;
    cursor = `&cursor=${page.body['next_cursor'] as string}`;
  }
  expect(seen).toEqual(['a', 'b', 'c']);
});

test.each(['topic=nonsense', 'cursor=nonsense', 'limit=0'])('%s is refused', async (query) => {
  expect((await send(`/v1/dead-letters?${query}`)).status).toBe(400);
});

test('they are exported as they are filtered, with neither their headers nor their bytes', async () => {
  const exported = async (query: string, role?: string): Promise<Record<string, string>[]> => {
    const answer = await fetch(`/v1/exports/dead-letters${query}`, role);
    expect([answer.status, answer.headers.get('x-weir-cut')]).toEqual([200, 'false']);
    return parse(await answer.text(), { columns: true });
  };
  expect((await exported('', 'auditor')).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  expect(await exported('?topic=screenings.scored')).toEqual([
    {
      topic: 'screenings.scored',
      offset: '0',
      reason: 'UNDECODABLE',
      detail: 'no schema',
      key: 'c',
      at: expect.any(String),
      bytes: '10',
    },
  ]);
  expect(await exported('?topic=reviews.resolved')).toEqual([]);
});

test.each(['topic=nonsense', 'limit=5'])('an export of %s is refused', async (query) => {
  expect((await send(`/v1/exports/dead-letters?${query}`)).status).toBe(400);
});

test('one has its reason, its headers and its bytes, and no data where they cannot be read', async () => {
  expect(await send('/v1/dead-letters/deposits.detected/1')).toEqual({
    status: 200,
    body: {
      topic: 'deposits.detected',
      offset: '1',
      reason: 'UNDECODABLE',
      detail: 'no schema',
      key: 'b',
      at: expect.any(String),
      bytes: 10,
      came_from: { partition: 2, offset: 7 },
      headers: { ce_id: 'b' },
      value_base64: Buffer.from('{"of":"b"}').toString('base64'),
      data: null,
    },
  });
  for (const place of ['deposits.detected/9', 'deposits.detected/9:0', 'deposits.detected/x', 'nonsense/0'])
    expect((await send(`/v1/dead-letters/${place}`)).status).toBe(404);
});

test('an administrator replays one as it was, and the audit log has the act of weir dlq', async () => {
  expect((await send('/v1/dead-letters/screenings.scored/0/replay', 'admin', 'POST')).status).toBe(200);
  const pages = await Promise.all([0, 1, 2, 3].map((partition) => pipeline.log.read('screenings.scored', partition, 0n, 10)));
  expect(pages.flat().map(({ key, value, headers }) => [key, value.toString(), headers])).toEqual([['c', '{"of":"c"}', { ce_id: 'c' }]]);
  const { rows } = await db.pool.query(`SELECT action, subject_type, subject, person_name, details FROM access.activities`);
  expect(rows).toEqual([
    {
      action: 'dead_letters_replayed',
      subject_type: 'topic',
      subject: 'screenings.scored',
      person_name: 'admin',
      details: [
        { name: 'count', value: '1' },
        { name: 'offsets', value: '0' },
        { name: 'reason', value: null },
      ],
    },
  ]);
});

test.each([
  ['auditor', 200, 403],
  ['reviewer', 403, 403],
  ['approver', 403, 403],
  ['ingest', 403, 403],
])('the role %s reads with %d and replays with %d', async (role, reads, replays) => {
  expect((await send('/v1/dead-letters', role)).status).toBe(reads);
  expect((await fetch('/v1/exports/dead-letters', role)).status).toBe(reads);
  expect((await send('/v1/dead-letters/deposits.detected/0', role)).status).toBe(reads);
  expect((await send('/v1/dead-letters/deposits.detected/0/replay', role, 'POST')).status).toBe(replays);
});
