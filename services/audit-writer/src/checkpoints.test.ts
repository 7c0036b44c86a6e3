import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  entryBundle,
  leafHash,
  openCheckpoint,
  parseVerifierKey,
  tilePath,
  treeRoot,
  verifyInclusion,
  createSignerKey,
} from '@weir/audit-log';
import { eventId } from '@weir/contracts';
import { createApp, createLogger, roles, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditMigrations, startAuditWriter } from './index.ts';

const role = { service: 'audit-writer', modules: { audit: auditMigrations } } as const;

let stack: TestStack;
let dir: string;
let writer: TestService;
let app: ReturnType<typeof createApp>;
beforeEach(async () => {
  stack = await openTestStack({ roles: [role] });
  dir = mkdtempSync(join(tmpdir(), 'weir-audit-'));
  for (const each of roles) await storeToken(stack.db.pool, `token-${each}`, each, each);
  await start();
});
afterEach(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

/** Signs at each start and when asked, and by schedule never during a test. */
async function start(auditKey = ''): Promise<void> {
  writer = await stack.service(
    (given) => startAuditWriter(given, { auditBatch: 500, auditDir: dir, auditKey, auditCheckpointMs: 3_600_000 }),
    { role },
  );
  app = createApp(createLogger({ service: 'audit-writer', level: 'silent' }), writer.service.operations ?? []);
}

async function restart(auditKey = ''): Promise<void> {
  await writer.stop();
  await start(auditKey);
}

async function publish(from: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => event(from + n));
  await writer.pipeline.log.publish(events);
  await caughtUp(writer.pipeline, 'audit-writer');
}

const event = (n: number) => ({
  topic: 'screenings.scored',
  key: `d-${n}`,
  value: Buffer.from(`event ${n}`),
  headers: { ce_id: eventId('test', n) },
});
const get = (path: string, token?: string) =>
  app.request(path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
const text = async (path: string): Promise<string> => (await get(path)).text();
const keysOf = async () => (await text('/v1/audit/key')).trim().split('\n').map(parseVerifierKey);
const checkpoint = async () => openCheckpoint(await text('/checkpoint'), await keysOf());
const refusal = (): string => (writer.service.warnings?.() ?? []).join();

test('a checkpoint needs no token and verifies with the published key; the key is a file that only its owner reads', async () => {
  await publish(0, 3);
  expect((await get(`/v1/audit/entries/${eventId('test', 1)}`, 'token-auditor')).status).toBe(200);
  expect((await checkpoint()).size).toBe(3);
  expect(await text('/v1/audit/checkpoint')).toBe(await text('/checkpoint'));
  expect((await get('/checkpoint')).headers.get('content-type')).toMatch(/^text\/plain/);
  expect(statSync(join(dir, 'audit-key')).mode & 0o777).toBe(0o600);
  const { rows } = await stack.db.pool.query('SELECT size, note FROM audit.checkpoint');
  expect(rows).toEqual([{ size: 3n, note: readFileSync(join(dir, 'audit-checkpoint'), 'utf8') }]);
});

test('an entry comes with a proof that it is in the signed tree', async () => {
  await publish(0, 300);
  for (const n of [0, 255, 256, 299]) {
    const answer = await get(`/v1/audit/entries/${eventId('test', n)}`, 'token-auditor');
    const body = (await answer.json()) as Record<string, string> & { index: number; inclusion_proof: string[] };
    expect(body).toMatchObject({ key: `d-${n}`, value_base64: Buffer.from(`event ${n}`).toString('base64'), data: null });
    const { size, root } = openCheckpoint(body['checkpoint'] ?? '', await keysOf());
    const leaf = leafHash(Buffer.from(body['leaf'] ?? ''));
    const proof = body.inclusion_proof.map((hash) => Buffer.from(hash, 'base64'));
    expect(verifyInclusion({ index: body.index, leaf, size, root, proof })).toBe(true);
  }
  expect((await get(`/v1/audit/entries/${eventId('other')}`, 'token-auditor')).status).toBe(404);
  expect((await get('/v1/audit/entries/x', 'token-auditor')).status).toBe(404);
  expect((await get(`/v1/audit/entries/${eventId('test', 1)}`)).status).toBe(401);
  expect((await get(`/v1/audit/entries/${eventId('test', 1)}`, 'token-ingest')).status).toBe(403);
});

test('tiles give the signed root and the leaves', async () => {
  await publish(0, 300);
  await restart();
  const { size, root } = await checkpoint();
  const tile = async (level: number | 'entries', index: number, width: number) =>
    Buffer.from(await (await get(`/${tilePath({ level, index, width })}`, 'token-auditor')).arrayBuffer());
  const levels = [Buffer.concat([await tile(0, 0, 256), await tile(0, 1, 44)]), await tile(1, 0, 1)];
  expect(size).toBe(300);
  expect(treeRoot(size, (level, index) => (levels[level] ?? Buffer.alloc(0)).subarray(index * 32, index * 32 + 32))).toEqual(root);
  const bundle = await tile('entries', 1, 44);
  const first = bundle.subarray(2, 2 + bundle.readUInt16BE());
  expect(leafHash(first)).toEqual(levels[0]?.subarray(256 * 32, 257 * 32));
  expect(bundle.subarray(0, first.length + 2)).toEqual(entryBundle([first]));
  for (const path of ['/tile/0/001', '/tile/0/000.p/0', '/tile/0/1', '/tile/2/000', '/tile/x/000'])
    expect([path, (await get(path, 'token-auditor')).status]).toEqual([path, 404]);
  expect((await get('/tile/0/000')).status).toBe(401);
});

describe('nothing is signed', () => {
  const meddle = (sql: string) =>
    stack.db.pool.query(
      `SET session_replication_role = replica; ALTER TABLE audit.entries DISABLE TRIGGER ALL; ALTER TABLE audit.leaves DISABLE TRIGGER ALL; ALTER TABLE audit.nodes DISABLE TRIGGER ALL; ${sql}; RESET session_replication_role`,
    );
  const signedSize = async () => (await checkpoint()).size;

  test('after the database was rolled back', async () => {
    await publish(0, 10);
    await meddle('CREATE TABLE l AS SELECT * FROM audit.leaves; CREATE TABLE t AS SELECT * FROM audit.tree');
    await publish(10, 10);
    await restart();
    await meddle(
      'DELETE FROM audit.leaves; INSERT INTO audit.leaves SELECT * FROM l; DELETE FROM audit.tree; INSERT INTO audit.tree SELECT * FROM t; DELETE FROM audit.entries WHERE index >= 10; DELETE FROM audit.checkpoint',
    );
    await restart();
    expect(refusal()).toContain('the tree has 10 leaves, and a checkpoint of 20 was signed: the database was rolled back');
    expect((await stack.db.pool.query('SELECT FROM audit.checkpoint')).rowCount).toBe(0);
    expect(await writer.pipeline.metrics.scrape()).toContain('weir_audit_checkpoint_refused 1');
  });

  test('after a stored hash was altered', async () => {
    await publish(0, 10);
    await restart();
    await publish(10, 3);
    await meddle('UPDATE audit.leaves SET hashes = set_byte(hashes, 3, 255 - get_byte(hashes, 3)) WHERE first = 0');
    await restart();
    expect(refusal()).toMatch(/the tree of 13 leaves does not begin with the signed tree of 10: the database was altered/);
  });

  test('after the key was replaced without the one before', async () => {
    await publish(0, 2);
    await restart(createSignerKey('other', Buffer.alloc(32, 1)).text);
    expect(refusal()).toMatch(/is not signed by the keys of other; bring back the key that signed it/);
  });

  test('twice for one size, and a restart goes on', async () => {
    await publish(0, 2);
    await restart();
    const note = await text('/checkpoint');
    await restart();
    expect(await text('/checkpoint')).toBe(note);
    await publish(2, 2);
    await restart();
    expect(await signedSize()).toBe(4);
  });
});

test('a key is replaced by signing with both for a time', async () => {
  await publish(0, 2);
  await restart();
  const before = readFileSync(join(dir, 'audit-key'), 'utf8').trim();
  const next = createSignerKey((await checkpoint()).origin, Buffer.alloc(32, 5)).text;
  writeFileSync(join(dir, 'audit-key'), `${next}\n${before}\n`);
  await publish(2, 1);
  await restart();
  expect((await checkpoint()).signers).toHaveLength(2);
  writeFileSync(join(dir, 'audit-key'), `${next}\n`);
  await publish(3, 1);
  await restart();
  expect(refusal()).toBe('');
  expect(await checkpoint()).toMatchObject({ size: 4, signers: [{ text: expect.any(String) }] });
});
