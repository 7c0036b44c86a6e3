import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  consistencyProof,
  createSignerKey,
  formatAddCheckpoint,
  leafHash,
  nodeHash,
  openNote,
  parseVerifierKey,
  type ReadHash,
  signCheckpoint,
  treeRoot,
} from '@weir/audit-log';
import { createApp, createLogger } from '@weir/service-kit';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { auditMigrations, startAuditWriter } from '../index.ts';

const role = { service: 'audit-writer', modules: { audit: auditMigrations } } as const;
const logKey = createSignerKey('log.example', Buffer.alloc(32, 1));
const strangerKey = createSignerKey('log.example', Buffer.alloc(32, 2));

let stack: TestStack;
let dir: string;
let app: ReturnType<typeof createApp>;
let stop: () => Promise<void>;
beforeEach(async () => {
  stack = await openTestStack({ roles: [role] });
  dir = mkdtempSync(join(tmpdir(), 'weir-witness-'));
  await start();
});
afterEach(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

async function start(auditWitnessOf = logKey.verifier.text): Promise<void> {
  const writer = await stack.service((given) => startAuditWriter(given, { auditBatch: 100, auditDir: dir, auditWitnessOf }), { role });
  app = createApp(createLogger({ service: 'audit-writer', level: 'silent' }), writer.service.operations ?? []);
  stop = () => writer.stop();
}

/** Hashes of a log whose leaf `n` is `text n`. */
const hashesOf =
  (text: string): ReadHash =>
  (level, index) => {
    const hashes = Array.from({ length: 256 ** level }, (_, n) => leafHash(Buffer.from(`${text} ${index * 256 ** level + n}`)));
    while (hashes.length > 1) hashes.splice(0, 2 * (hashes.length >> 1), ...pairs(hashes));
    return hashes[0] ?? Buffer.alloc(0);
  };
const pairs = (hashes: readonly Buffer[]): Buffer[] =>
  Array.from({ length: hashes.length >> 1 }, (_, n) => nodeHash(hashes[2 * n] ?? Buffer.alloc(0), hashes[2 * n + 1] ?? Buffer.alloc(0)));

const noteOf = (size: number, text = 'leaf', signer = logKey, origin = 'log.example'): string =>
  signCheckpoint({ origin, size, root: treeRoot(size, hashesOf(text)) }, [signer]);
const growth = (old: number, size: number, text = 'leaf') => consistencyProof(old, size, hashesOf(text));

async function add(body: string): Promise<{ status: number; type: string; text: string }> {
  const answer = await app.request('/v1/audit/witness/add-checkpoint', { method: 'POST', body });
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
}
const grow = (old: number, size: number) => add(formatAddCheckpoint({ old, proof: growth(old, size), note: noteOf(size) }));
const witnessKey = async () => parseVerifierKey((await (await app.request('/v1/audit/witness/key')).text()).trim());

test('a growing log is cosigned with one key, also after a restart of the witness', async () => {
  for (const [old, size] of [
    [0, 1],
    [1, 7],
    [7, 7],
    [7, 300],
  ] as const) {
    const { status, text } = await grow(old, size);
    expect([old, size, status]).toEqual([old, size, 200]);
    expect(openNote(`${noteOf(size)}${text}`, [await witnessKey()]).signers).toHaveLength(1);
  }
  const key = await witnessKey();
  await stop();
  await start();
  expect((await witnessKey()).text).toBe(key.text);
  expect((await grow(300, 301)).status).toBe(200);
});

test('two histories are never cosigned', async () => {
  await grow(0, 5);
  const other = (old: number, size: number) =>
    add(formatAddCheckpoint({ old, proof: growth(old, size, 'other'), note: noteOf(size, 'other') }));
  expect((await other(5, 5)).status).toBe(409);
  expect((await other(5, 9)).status).toBe(422);
  expect((await add(formatAddCheckpoint({ old: 5, proof: [], note: noteOf(9) }))).status).toBe(422);
  await stop();
  await start();
  expect((await other(5, 9)).status).toBe(422);
  expect(await other(0, 9)).toEqual({ status: 409, type: 'text/x.tlog.size', text: '5\n' });
});

test('another size than the last is answered with the last', async () => {
  await grow(0, 5);
  expect(await grow(3, 9)).toEqual({ status: 409, type: 'text/x.tlog.size', text: '5\n' });
  expect((await grow(5, 9)).status).toBe(200);
});

test('of concurrent requests with the same size one is cosigned', async () => {
  const answers = await Promise.all(
    ['leaf', 'other', 'third', 'fourth'].map((text) => add(formatAddCheckpoint({ old: 0, proof: [], note: noteOf(4, text) }))),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
});

test.each([
  ['a body that is no request', 400, 'hello'],
  ['an old size above the checkpoint', 400, formatAddCheckpoint({ old: 9, proof: [], note: noteOf(4) })],
  ['a stranger with the name of the log', 403, formatAddCheckpoint({ old: 0, proof: [], note: noteOf(4, 'leaf', strangerKey) })],
  ['another log', 404, formatAddCheckpoint({ old: 0, proof: [], note: noteOf(4, 'leaf', createSignerKey('b', Buffer.alloc(32, 3)), 'b') })],
  ['a body above 64 KiB', 413, 'x'.repeat(70_000)],
])('%s is %s', async (_, status, body) => {
  expect((await add(body)).status).toBe(status);
});

test('a Weir that is no witness says so', async () => {
  await stop();
  await start('');
  expect((await grow(0, 1)).status).toBe(404);
  expect((await app.request('/v1/audit/witness/key')).status).toBe(404);
});

test('a wrong key is refused at the start', async () => {
  await stop();
  await expect(start('nonsense')).rejects.toThrow('setting WEIR_AUDIT_WITNESS_OF is wrong: a verifier key must be name+id+base64');
});
