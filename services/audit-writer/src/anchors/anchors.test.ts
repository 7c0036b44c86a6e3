import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignerKey, openCheckpoint, parseVerifierKey, signCheckpoint } from '@weir/audit-log';
import { systemClock } from '@weir/clock';
import { eventId } from '@weir/contracts';
import { createApp, createLogger, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditMigrations, startAuditWriter } from '../index.ts';
import { readAnchored } from './anchoring.ts';
import { folderPlace, type Place, s3Place, webhookPlace, witnessPlace } from './places.testing.ts';

const role = { service: 'audit-writer', modules: { audit: auditMigrations } } as const;
const patience = { timeout: 60_000, interval: 20 };
const signer = createSignerKey('weir-anchored', Buffer.alloc(32, 7));
const keys = [parseVerifierKey(signer.verifier.text)];

let stack: TestStack;
let dir: string;
let writer: TestService;
beforeEach(async () => {
  stack = await openTestStack({ roles: [role] });
  dir = mkdtempSync(join(tmpdir(), 'weir-anchored-'));
  await storeToken(stack.db.pool, 'auditor', 'auditor', 'auditor');
});
afterEach(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

async function start(auditAnchors: string, auditAnchorMs = 20): Promise<void> {
  writer = await stack.service(
    (given) =>
      startAuditWriter(given, {
        auditBatch: 500,
        auditDir: dir,
        auditKey: signer.text,
        auditCheckpointMs: 10,
        auditAnchors,
        auditAnchorMs,
      }),
    { role },
  );
}

async function publish(from: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({
    topic: 'screenings.scored' as const,
    key: `d-${from + n}`,
    value: Buffer.from(`event ${from + n}`),
    headers: { ce_id: eventId('anchor', from + n) },
  }));
  await writer.pipeline.log.publish(events);
  await caughtUp(writer.pipeline, 'audit-writer');
}

const sizesOf = async (place: Place): Promise<number[]> => (await place.copies()).map((note) => openCheckpoint(note, keys).size);
const lastSize = async (place: Place): Promise<number | undefined> => (await sizesOf(place)).at(-1);
const warnings = (): string => (writer.service.warnings?.() ?? []).join('\n');
const anchors = async () => {
  const app = createApp(createLogger({ service: 'test', level: 'silent' }), writer.service.operations ?? []);
  const answer = await app.request('/v1/audit/anchors', { headers: { authorization: 'Bearer auditor' } });
  return ((await answer.json()) as { items: { name: string; size: number; error: string | null; note: string | null }[] }).items;
};

const kinds = { folder: folderPlace, webhook: webhookPlace, 'S3 server': s3Place, witness: witnessPlace };

describe.each(Object.entries(kinds))('a %s', (_, openPlace) => {
  let place: Place;
  let address: string;
  beforeEach(async () => {
    place = await openPlace();
    address = await place.address(signer.verifier.text);
  });
  afterEach(() => place.close());

  test('gets each growth of the log, also after a restart, and nothing while it stands still', async () => {
    await start(address);
    await publish(0, 3);
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(3), patience);
    await publish(3, 2);
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(5), patience);
    await writer.stop();
    const before = await sizesOf(place);
    await start(address);
    await publish(5, 1);
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(6), patience);
    const sizes = await sizesOf(place);
    expect(sizes.slice(0, before.length)).toEqual(before);
    expect(sizes).toEqual([...new Set(sizes)].toSorted((a, b) => a - b));
    await vi.waitFor(async () => expect(await anchors()).toMatchObject([{ name: place.name(), size: 6, error: null }]), patience);
    expect(await writer.pipeline.metrics.scrape()).toContain(`weir_audit_anchor_age_seconds{anchor="${place.name()}"} 0`);
  });

  test('that fails is named in /readyz, the metrics and the API without its address, and gets the log later', async () => {
    await place.breakDown();
    await start(address);
    await publish(0, 2);
    await vi.waitFor(() => expect(warnings()).toContain(`the audit log is not anchored at ${place.name()}: `), patience);
    expect(warnings()).not.toContain('a-secret-path');
    await vi.waitFor(async () => expect((await anchors())[0]?.error).toEqual(expect.any(String)), patience);
    const [, age = ''] = /weir_audit_anchor_age_seconds\{[^}]*\} (\S+)/.exec(await writer.pipeline.metrics.scrape()) ?? [];
    expect(Number(age)).toBeGreaterThan(0);
    await place.mend();
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(2), patience);
    await vi.waitFor(() => expect(warnings()).toBe(''), patience);
  });
});

test.each([
  ['folder', folderPlace],
  ['S3 server', s3Place],
] as const)('a %s that holds another checkpoint of the same size is not overwritten, and named', async (_, openPlace) => {
  const place = await openPlace();
  try {
    const address = await place.address(signer.verifier.text);
    await start(address);
    await publish(0, 1);
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(1), patience);
    await writer.stop();
    const other = signCheckpoint({ origin: signer.verifier.name, size: 4, root: Buffer.alloc(32, 1) }, [signer]);
    await place.occupy(4, other);
    await start(address);
    await publish(1, 3);
    await vi.waitFor(() => expect(warnings()).toContain('it has another checkpoint of 4 leaves'), patience);
    expect((await place.copies()).at(-1)).toBe(other);
  } finally {
    await place.close();
  }
});

test.each([
  ['folder', folderPlace],
  ['witness', witnessPlace],
] as const)('a row that says a %s has more than there is, and is not due for long, does not end its copies', async (_, openPlace) => {
  const place = await openPlace();
  try {
    await start(await place.address(signer.verifier.text));
    await publish(0, 2);
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(2), patience);
    await writer.stop();
    await stack.db.pool.query(`UPDATE audit.anchors SET size = 9000000000000, next_at = '2900-01-01'`);
    expect((await readAnchored(stack.db.pool, systemClock)).get(place.name())?.age).toBeGreaterThan(0);
    await start(await place.address(signer.verifier.text));
    await publish(2, 2);
    await vi.waitFor(async () => expect(await lastSize(place)).toBe(4), patience);
    await vi.waitFor(async () => expect(await anchors()).toMatchObject([{ size: 4, error: null }]), patience);
  } finally {
    await place.close();
  }
});

test.each([
  ['not an address', 'must be addresses with commas'],
  ['ftp://host/x', 'must be file:///'],
  ['http://host.example/x', 'must be https, unless it is on this machine'],
  ['s3://bucket/x', 'an s3: address needs days'],
  ['s3://bucket/x?days=1&lock=soft', 'lock must be compliance or governance'],
  ['s3://bucket/x?days=1&retention=2', 'an s3: address takes region, endpoint, lock and days, not retention'],
  ['witness+https://host.example/w', 'a witness needs its key after #'],
  ['file:///a,file:///a', 'has file:/a twice'],
])('WEIR_AUDIT_ANCHORS=%s is refused at the start', async (text, why) => {
  await expect(start(text)).rejects.toThrow(`setting WEIR_AUDIT_ANCHORS is wrong: ${why}`);
});

test('a Weir without a key cannot anchor', async () => {
  const refused = stack.service((given) => startAuditWriter(given, { auditBatch: 500, auditAnchors: 'file:///a' }), { role });
  await expect(refused).rejects.toThrow('setting WEIR_AUDIT_DIR is missing: WEIR_AUDIT_ANCHORS needs a folder');
});
