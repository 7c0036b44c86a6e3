import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventId } from '@weir/contracts';
import { transaction } from '@weir/postgres';
import { createApp, createLogger, type RunningServer, serve, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseEntries, startAuditWriter } from './index.ts';

const hasGo = spawnSync('go', ['version']).status === 0;
const withGo = describe.skipIf(!hasGo && process.env['CI'] === undefined);
const sources = join(import.meta.dirname, '..', '..', '..', 'packages', 'domain', 'audit-log', 'verifier');
const logger = createLogger({ service: 'audit-writer', level: 'silent' });

withGo('what a running writer serves is verified over HTTP by the libraries of Go (golang.org/x/mod)', () => {
  let stack: TestStack;
  let dir: string;
  let writer: TestService;
  let server: RunningServer;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'weir-go-'));
    execFileSync('go', ['build', '-o', join(dir, 'verifier'), '.'], { cwd: sources, stdio: 'pipe' });
    stack = await openTestStack();
    await storeToken(stack.db.pool, 'auditor', 'auditor', 'auditor');
    writer = await stack.service((given) => startAuditWriter(given, { auditBatch: 100, auditDir: dir, auditCheckpointMs: 3_600_000 }));
    server = await serve(createApp(logger, writer.service.operations ?? []), { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server.close();
    await stack.close();
    rmSync(dir, { recursive: true });
  });

  /** Events `from` to before `to`, signed. */
  async function publish(from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, n) => from + n);
    const events = numbers.map((n) => ({ key: `d-${n}`, value: Buffer.from(`event ${n}`), headers: { ce_id: eventId('go', n) } }));
    await writer.pipeline.log.publish(events.map((event) => ({ topic: 'screenings.scored', ...event })));
    await caughtUp(writer.pipeline, 'audit-writer');
    // An entry that no checkpoint has yet is signed at once.
    const headers = { authorization: 'Bearer auditor' };
    for (const n of numbers)
      expect((await fetch(`http://127.0.0.1:${server.port}/v1/audit/entries/${eventId('go', n)}`, { headers })).status).toBe(200);
  }

  const verify = (earlier: string, ...events: string[]) =>
    promisify(execFile)(join(dir, 'verifier'), [`http://127.0.0.1:${server.port}`, ...events], {
      env: { ...process.env, TOKEN: 'auditor', EARLIER: earlier },
    });

  test('checkpoint, tiles, bundles, proofs, and consistency while the log grows', async () => {
    let earlier = '';
    let size = 0;
    for (const to of [1, 255, 256, 257, 600]) {
      await publish(size, to);
      size = to;
      const { stdout } = await verify(earlier, eventId('go', 0), eventId('go', to - 1));
      expect(stdout).toBe(`verified ${to} leaves and 2 entries\n`);
      earlier = readFileSync(join(dir, 'audit-checkpoint'), 'utf8');
    }
  });

  test('also after payloads and their salts were erased', async () => {
    const act = eventId('go', 'act');
    await writer.pipeline.log.publish([{ topic: 'activities.recorded', key: 'act', value: Buffer.from('act'), headers: { ce_id: act } }]);
    await caughtUp(writer.pipeline, 'audit-writer');
    await transaction(stack.db.pool, (tx) => eraseEntries(tx, { eventId: act, indexes: [0, 77, 255, 256] }));
    const headers = { authorization: 'Bearer auditor' };
    expect((await fetch(`http://127.0.0.1:${server.port}/v1/audit/entries/${act}`, { headers })).status).toBe(200);
    const { stdout } = await verify(readFileSync(join(dir, 'audit-checkpoint'), 'utf8'), eventId('go', 1));
    expect(stdout).toBe('verified 601 leaves and 1 entries\n');
  });

  test('and an altered leaf or tile is not', async () => {
    const { rows } = await stack.db.pool.query<{ first: bigint }>('SELECT first FROM audit.leaves ORDER BY first DESC LIMIT 1');
    const altered = async (sql: string): Promise<string> => {
      await stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; ALTER TABLE audit.leaves DISABLE TRIGGER ALL; ${sql}`);
      return verify('').then(
        () => 'verified',
        ({ stderr }: { stderr: string }) => stderr,
      );
    };
    expect(await altered('UPDATE audit.entries SET log_offset = log_offset + 1 WHERE index = 77')).toMatch(/^leaf 77: /);
    await altered('UPDATE audit.entries SET log_offset = log_offset - 1 WHERE index = 77');
    expect(
      await altered(`UPDATE audit.leaves SET hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0)) WHERE first = ${rows[0]?.first}`),
    ).toMatch(/^leaf \d+: downloaded inconsistent tile/);
  });
});
