import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSignerKey, openCheckpoint, parseVerifierKey } from '@weir/audit-log';
import { eventId } from '@weir/contracts';
import { caughtUp, openTestStack, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileAnchor } from './anchors/file.ts';
import { auditMigrations, reconcileTree, startAuditWriter } from './index.ts';

let stack: TestStack;
let dir: string;
beforeEach(async () => {
  stack = await openTestStack({ roles: [role] });
  dir = mkdtempSync(join(tmpdir(), 'weir-audit-'));
});
afterEach(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

const role = { service: 'audit-writer', modules: { audit: auditMigrations } } as const;
const file = (name: string): string => readFileSync(join(dir, name), 'utf8');

async function start(auditKey = ''): Promise<TestService> {
  const settings = { auditBatch: 500, auditDir: dir, auditKey, auditCheckpointMs: 3_600_000 };
  return stack.service((given) => startAuditWriter(given, settings), { role });
}

/** Writes entries, and signs them at a restart. */
async function write(from: number, count: number, auditKey = ''): Promise<void> {
  const writer = await start(auditKey);
  await writer.pipeline.log.publish(
    Array.from({ length: count }, (_, n) => ({
      topic: 'screenings.scored',
      key: `d-${from + n}`,
      value: Buffer.from(`event ${from + n}`),
      headers: { ce_id: eventId('test', from + n) },
    })),
  );
  await caughtUp(writer.pipeline, 'audit-writer');
  await writer.stop();
  await (await start(auditKey)).stop();
}

const tables = ['entries', 'leaves', 'nodes', 'tree', 'checkpoint', 'anchors'];
const onTables = (sql: (name: string) => string): Promise<unknown> =>
  stack.db.pool.query(
    `SET session_replication_role = replica; ${tables.map((name) => `ALTER TABLE audit.${name} DISABLE TRIGGER ALL; ${sql(name)}`).join('; ')}; RESET session_replication_role`,
  );
/** The database goes back to where it was at `keep`. */
const keep = () => onTables((name) => `CREATE TABLE kept_${name} AS SELECT * FROM audit.${name}`);
const goBack = () => onTables((name) => `DELETE FROM audit.${name}; INSERT INTO audit.${name} SELECT * FROM kept_${name}`);
const reconcile = (mend = true, over: object = {}) =>
  reconcileTree(stack.db.pool, { auditDir: dir, auditKey: '', auditKmsKeys: '', ...over }, { timeline: 2, mend, random: randomBytes });

test('a log that lost signed entries goes on under another name and key, and says which it continues', async () => {
  await write(0, 3);
  await keep();
  await write(3, 4);
  const [before, oldKey] = [file('audit-checkpoint'), file('audit-key')];
  const origin = before.split('\n')[0] ?? '';
  await goBack();
  expect((await start()).service.warnings?.().join()).toContain('the database was rolled back');

  expect(await reconcile(false)).toMatchObject({ origin, size: 3, signed: { size: 7 }, successor: `${origin}-r2` });
  expect(file('audit-checkpoint')).toBe(before);
  expect(await reconcile()).toMatchObject({ successor: `${origin}-r2` });
  expect(file(`audit-checkpoint.${origin}`)).toBe(before);
  expect(file(`audit-key.${origin}`)).toBe(oldKey);
  expect(await reconcile()).toBeUndefined();

  await write(7, 4);
  const keys = file('audit-key.pub').trim().split('\n').map(parseVerifierKey);
  expect(openCheckpoint(file('audit-checkpoint'), keys)).toMatchObject({ origin: `${origin}-r2`, size: 7 });
  // Both logs have a tree of seven leaves, and each keeps its copy.
  const place = fileAnchor(pathToFileURL(join(dir, 'copies')));
  for (const note of [before, file('audit-checkpoint')])
    await place.keep({ size: 7, root: Buffer.alloc(32), note }, { from: 0, proofFrom: async () => [] });
  expect(file('copies/checkpoint-0000000000000007')).toBe(before);
  expect(file('copies/checkpoint-0000000000000007-r2')).toBe(file('audit-checkpoint'));
});

test('a log that continues what was signed stays as it is', async () => {
  expect(await reconcile()).toBeUndefined();
  await write(0, 3);
  const before = file('audit-checkpoint');
  expect(await reconcile()).toBeUndefined();
  expect(file('audit-checkpoint')).toBe(before);
});

test('a log whose key is in a setting is only named: a person gives it another name', async () => {
  const { text } = createSignerKey('ours', randomBytes(32));
  await write(0, 3, text);
  await keep();
  await write(3, 1, text);
  await goBack();
  expect(await reconcile(true, { auditKey: text })).toMatchObject({ origin: 'ours', successor: undefined });
  expect(existsSync(join(dir, 'audit-checkpoint.ours'))).toBe(false);
});
