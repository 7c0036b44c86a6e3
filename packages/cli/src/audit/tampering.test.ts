import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignerKey, signCheckpoint } from '@weir/audit-log';
import { append, auditMigrations, entryOf, eraseEntries, erasureActs, startAuditWriter } from '@weir/audit-writer';
import { eventId } from '@weir/contracts';
import { type Queryable, transaction } from '@weir/postgres';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../../test/support/stack/random.ts';
import { weir } from '../testing/weir.ts';
import { kinds, type LogShape, openTables } from './tampering.testing.ts';
import { knownOutside, verifyLog } from './verify-log.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_260_102);
const changes = 1_000;
/** Rows of leaves, which end beside and on the borders of tiles. */
const batches = [1, 7, 100, 148, 3, 253, 18];

let stack: TestStack;
let dir: string;
let shape: LogShape;
beforeAll(async () => {
  stack = await openTestStack({ roles: [{ service: 'audit-writer', modules: { audit: auditMigrations } }] });
  dir = mkdtempSync(join(tmpdir(), 'weir-tampering-'));
  const rows: { first: number; count: number }[] = [];
  let entries = 0;
  let earlierNote = '';
  for (const count of batches) {
    await append(
      stack.db.pool,
      Array.from({ length: count }, (_, n) => entry(entries + n)),
      randomBytes,
    );
    rows.push({ first: entries, count });
    entries += count;
    if (earlierNote === '') earlierNote = await signed();
  }
  await erase(entries);
  rows.push({ first: entries, count: 1 });
  entries += 1;
  await signed();
  const forger = createSignerKey('forger', Buffer.alloc(32, 1));
  const forgedNote = signCheckpoint({ origin: 'forger', size: entries, root: Buffer.alloc(32) }, [forger]);
  shape = { entries, erased, act, rows, nodes: Math.floor(entries / 256), earlierNote, forgedNote, forgedKey: forger.verifier.text };
});
afterAll(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

/** A start signs what is there. */
async function signed(): Promise<string> {
  await (await stack.service((given) => startAuditWriter(given, { auditBatch: 500, auditDir: dir }))).stop();
  return readFileSync(join(dir, 'audit-checkpoint'), 'utf8');
}

function entry(n: number, topic = 'screenings.scored', id = eventId('tampering', n), value: Buffer = Buffer.from(`event ${n}`)) {
  const headers = { ce_id: id, ce_time: '2026-01-02T00:00:00.000Z' };
  return entryOf({ topic, key: `d-${n}`, value, headers, partition: 0, offset: BigInt(n), timestamp: 0 });
}

/** Beside and on the borders of rows and tiles. */
const erased = [0, 5, 6, 7, 8, 255, 256, 400, 512];
const act = eventId('tampering', 'act');

/** As `weir privacy` does: the act is in the log first. */
async function erase(at: number): Promise<void> {
  const cause = {
    kind: 'request',
    reason: 'asked',
    proposedBy: { id: 'reviewer:1', name: 'One' },
    approvedBy: { id: 'approver:2', name: 'Two' },
  } as const;
  const [made] = erasureActs({ erasureId: eventId('tampering', 'erasure'), cause, at: 1_000 }, erased, () => act);
  const { action, subjectType, subject, by, details = {} } = made?.activity ?? expect.fail('there is no act');
  const named = Object.entries(details).map(([name, value]) => ({ name, value }));
  const activity = { activity_id: act, action, subject_type: subjectType, subject, person_id: by.id, person_name: by.name };
  const { codec } = await stack.pipeline();
  const value = codec.encode('activities.recorded', { ...activity, details: named, recorded_at: 1_000 });
  await append(stack.db.pool, [entry(at, 'activities.recorded', act, value)], randomBytes);
  await transaction(stack.db.pool, (tx) => eraseEntries(tx, { eventId: act, indexes: erased }));
}

async function problemsOf(db: Queryable): Promise<string> {
  const problems: string[] = [];
  await verifyLog(db, { known: knownOutside({ auditDir: dir, dataDir: '' }), onProblem: (text) => problems.push(text) });
  return problems.join('\n');
}

class RolledBack extends Error {}

/** The verifier's problems after the owner's change, which is then undone. */
async function afterChange(sql: string): Promise<string> {
  let found = '';
  const changing = transaction(stack.db.pool, async (tx) => {
    await openTables(tx);
    await tx.query(sql);
    found = await problemsOf(tx);
    throw new RolledBack();
  });
  await expect(changing).rejects.toThrow(RolledBack);
  return found;
}

test('changes of every table by its owner are each found and named', async () => {
  process.stdout.write(`seed ${seed}\n`);
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(...choices: readonly T[]): T => choices[below(choices.length)] as T;
  expect(await problemsOf(stack.db.pool)).toBe('');
  const names = Object.keys(kinds);
  const missed: string[] = [];
  for (let n = 0; n < changes; n += 1) {
    const kind = names[n % names.length] ?? '';
    const { sql, named } = kinds[kind]?.(shape, pick, below) ?? { sql: '', named: / / };
    const found = await afterChange(sql);
    if (!named.test(found)) missed.push(`${kind}: ${sql}\n  wanted ${named}\n  found ${found.slice(0, 300)}`);
  }
  expect(missed).toEqual([]);
  expect(await problemsOf(stack.db.pool)).toBe('');
}, 600_000);

test('a log that was written anew as a whole contradicts the checkpoint kept outside', async () => {
  const found = await afterChange(`
    TRUNCATE audit.leaves, audit.nodes, audit.entries; UPDATE audit.tree SET size = 0, frontier = '{}'; DELETE FROM audit.checkpoint`);
  expect(found).toContain('audit.checkpoint has no row');
  expect(found).toContain(`the last checkpoint, kept outside the database, is over ${shape.entries} entries, and there are fewer`);
});

test('the tables refuse an erasure without an act in the log, and any other change', async () => {
  const { pool } = stack.db;
  const refused = /is append-only/;
  const erasing = (by: string) =>
    `UPDATE audit.entries SET key = '', headers = '{}', value = '', screening_id = NULL, erased_by = '${by}' WHERE index = 300`;
  for (const sql of [
    erasing(eventId('tampering', 299)),
    erasing(eventId('tampering', 'none')),
    `UPDATE audit.entries SET value = '' WHERE index = 300`,
    'UPDATE audit.entries SET erased_by = NULL WHERE index = 5',
    'UPDATE audit.leaves SET commitments = hashes',
    "UPDATE audit.leaves SET salts = ''",
    'DELETE FROM audit.entries WHERE index = 5',
  ])
    await expect(pool.query(sql)).rejects.toThrow(refused);
});

test('"weir doctor" and "weir audit verify" name a change, and fail', async () => {
  const env = { DATABASE_URL: stack.db.url, WEIR_PORT: '0', WEIR_AUDIT_DIR: dir };
  expect((await weir(['doctor'], { env })).stdout).toMatch(/ok +audit tree +531 entries fit the tree, 531 of them are signed/);
  await stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; UPDATE audit.entries SET key = 'x' WHERE index = 300`);
  const named = /entry 300 \([-0-9a-f]+\) has another payload or salt than its commitment/;
  expect(await weir(['audit', 'verify'], { env })).toMatchObject({ code: 1, stderr: expect.stringMatching(named) });
  expect(await weir(['doctor'], { env })).toMatchObject({ code: 1, stdout: expect.stringMatching(named) });
});
