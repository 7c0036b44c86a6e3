import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignerKey, openCheckpoint, parseVerifierKey } from '@weir/audit-log';
import { eventId } from '@weir/contracts';
import { createApp, createLogger, Jobs } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { auditMigrations, startAuditWriter } from '../index.ts';
import { awsService, gcpService, type KeyService, vaultService } from './services.testing.ts';

const role = { service: 'audit-writer', modules: { audit: auditMigrations } } as const;
const patience = { timeout: 60_000, interval: 20 };

let stack: TestStack;
let dir: string;
let lines: string[];
beforeEach(async () => {
  stack = await openTestStack({ roles: [role] });
  dir = mkdtempSync(join(tmpdir(), 'weir-kms-'));
  lines = [];
});
afterEach(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

async function start(settings: { auditKmsKeys: string; auditVaultToken?: string; auditKey?: string }): Promise<TestService> {
  return stack.service(
    (given) => {
      const logger = createLogger({
        service: 'audit-writer',
        level: 'warn',
        destination: { write: (line: string) => void lines.push(line) },
      });
      const jobs = new Jobs({ db: given.pool, clock: given.clock, logger });
      return startAuditWriter({ ...given, logger, jobs }, { auditBatch: 500, auditDir: dir, auditCheckpointMs: 20, ...settings });
    },
    { role },
  );
}

async function publish({ pipeline }: TestService, from: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => from + n);
  await pipeline.log.publish(
    numbers.map((n) => ({ topic: 'screenings.scored', key: `d-${n}`, value: Buffer.from(`${n}`), headers: { ce_id: eventId('kms', n) } })),
  );
  await caughtUp(pipeline, 'audit-writer');
}

const text = async ({ service }: TestService, path: string): Promise<string> =>
  (await createApp(createLogger({ service: 'test', level: 'silent' }), service.operations ?? []).request(path)).text();
const checkpoint = async (writer: TestService) =>
  openCheckpoint(await text(writer, '/checkpoint'), (await text(writer, '/v1/audit/key')).trim().split('\n').map(parseVerifierKey));

const services = { 'AWS KMS': awsService, 'Google Cloud KMS': gcpService, Vault: vaultService };

describe.each(Object.entries(services))('a key in %s', (_, openService) => {
  let keys: KeyService;
  beforeEach(async () => {
    keys = await openService();
  });
  afterEach(() => keys.close());
  const settings = (name = 'weir-kms') => ({ auditKmsKeys: keys.address(name), auditVaultToken: keys.vaultToken });

  test('signs checkpoints that verify with its public key, and no key is in the folder', async () => {
    const writer = await start(settings());
    await publish(writer, 0, 3);
    await vi.waitFor(async () => expect(await checkpoint(writer)).toMatchObject({ origin: 'weir-kms', size: 3 }), patience);
    expect(existsSync(join(dir, 'audit-key'))).toBe(false);
    expect(readFileSync(join(dir, 'audit-key.pub'), 'utf8')).toBe(await text(writer, '/v1/audit/key'));
  });

  test('that is away leaves the log unsigned until it is back', async () => {
    const writer = await start(settings());
    keys.breakDown();
    await publish(writer, 0, 3);
    await vi.waitFor(() => expect(lines.join('')).toContain('a job failed; it will be tried again'), patience);
    keys.mend();
    await vi.waitFor(async () => expect((await checkpoint(writer)).size).toBe(3), patience);
  });

  test('that signs with another key than it named signs nothing', async () => {
    const writer = await start(settings());
    keys.replaceKey();
    await publish(writer, 0, 3);
    await vi.waitFor(
      () => expect(lines.join('')).toContain('the signature is not of the key that the service named at the start'),
      patience,
    );
    expect((await checkpoint(writer)).size).toBe(0);
  });

  test('takes over from a key of the setting while both sign', async () => {
    const before = createSignerKey('weir-kms', Buffer.alloc(32, 3));
    const first = await start({ auditKmsKeys: '', auditKey: before.text });
    await publish(first, 0, 1);
    await first.stop();
    const both = await start({ ...settings(), auditKey: before.text });
    await publish(both, 1, 1);
    await vi.waitFor(async () => expect((await checkpoint(both)).signers).toHaveLength(2), patience);
    await both.stop();
    const last = await start(settings());
    await publish(last, 2, 1);
    await vi.waitFor(async () => expect((await checkpoint(last)).size).toBe(3), patience);
    expect(last.service.warnings?.()).toEqual([]);
  });

  test('without a name is refused at the start', async () => {
    await expect(start(settings(''))).rejects.toThrow(
      'setting WEIR_AUDIT_KMS_KEYS is wrong: each address ends with # and the name of the log',
    );
  });
});

test.each([
  ['not an address', 'must be addresses with commas'],
  ['azure://vault/key#log', 'must be aws-kms://…, gcp-kms://… or vault+https://…'],
  ['aws-kms:///key#log', 'aws-kms: must be aws-kms://REGION/KEY#NAME'],
  ['gcp-kms://projects/p/cryptoKeys/k#log', 'gcp-kms: must be gcp-kms://projects/…/cryptoKeyVersions/N#NAME'],
  ['vault+https://vault.example/key#log', 'vault+https: must be vault+https://HOST/MOUNT/KEY#NAME'],
  ['vault+http://vault.example/transit/key#log', 'a Vault must be reached by https, unless it is on this machine'],
])('WEIR_AUDIT_KMS_KEYS=%s is refused at the start', async (auditKmsKeys, why) => {
  await expect(start({ auditKmsKeys })).rejects.toThrow(`setting WEIR_AUDIT_KMS_KEYS is wrong: ${why}`);
});
