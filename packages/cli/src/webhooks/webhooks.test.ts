import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { consoleSchema, startConsole } from '@weir/console';
import { eventId, type ScreeningDecided, screeningId } from '@weir/contracts';
import { decided } from '@weir/contracts/testing';
import { createApp, createLogger, loadConfig, type RunningServer, serve, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, type TestService, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { weir } from '../testing/weir.ts';

let stack: TestStack;
let console: TestService;
let server: RunningServer;
let receiver: Server;
let answer = 400;
const seen: string[] = [];

const decidedAt = (n: number): ScreeningDecided => decided(`d-${n}`, { requested_at: 0, decided_at: n });
const idOf = (n: number): string => eventId('screenings.decided', screeningId('deposit', `d-${n}`), 1);
const run = (token: string, ...args: string[]) =>
  weir(['webhooks', ...args], { env: { WEIR_CONSOLE_URL: `http://127.0.0.1:${server.port}`, WEIR_TOKEN: token } });
const list = async (...args: string[]) => JSON.parse((await run('auditor', 'list', '--json', ...args)).stdout);

beforeAll(async () => {
  receiver = createServer((request, response) => {
    seen.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(answer).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const settings = loadConfig(consoleSchema, {
    WEIR_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    WEIR_WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
    WEIR_WEBHOOK_RETRY_DELAYS_S: '1',
  });
  stack = await openTestStack();
  console = await stack.service((pipeline) => startConsole(pipeline, settings));
  for (const role of ['admin', 'auditor'] as const) await storeToken(stack.db.pool, role, role, role);
  const app = createApp(createLogger({ service: 'console', level: 'silent' }), console.service.operations);
  server = await serve(app, { host: '127.0.0.1', port: 0 });
  for (const n of [1, 2, 3]) {
    await publishTo(console.pipeline, 'screenings.decided', decidedAt(n));
    await caughtUp(console.pipeline, 'webhooks');
  }
  await vi.waitFor(async () => expect(await list('--state', 'failed')).toHaveLength(3), { timeout: 30_000, interval: 200 });
});
afterAll(async () => {
  await server.close();
  await stack.close();
  await new Promise((resolve) => receiver.close(resolve));
});

// Each command is a process.
describe('weir webhooks', () => {
  test('list shows the newest first, for people and for programs', async () => {
    expect((await list()).map((item: { event_id: string }) => item.event_id)).toEqual([3, 2, 1].map(idOf));
    const { stdout, stderr } = await run('auditor', 'list', '--state', 'failed', '--limit', '2');
    expect(stdout).toMatch(
      new RegExp(`^CREATED .*LAST ERROR\\n\\S+Z {2}failed {2}${idOf(3)} {2}\\S+/1 +2 +- {5}REFUSED 400\\n.*${idOf(2)}.*\\n$`),
    );
    expect(stderr).toBe('2 deliveries; --limit shows more.\n');
    expect((await run('auditor', 'list', '--state', 'pending')).stderr).toBe('No matching delivery.\n');
  });

  test('show shows what is sent', async () => {
    const shown = JSON.parse((await run('auditor', 'show', idOf(1).toUpperCase(), '--json')).stdout);
    expect(shown).toMatchObject({ event_id: idOf(1), state: 'failed' });
    expect(JSON.parse(shown.body)).toMatchObject({ type: 'screening.decided', data: { source_id: 'd-1', action: 'allow' } });
    expect((await run('auditor', 'show', idOf(1))).stdout).toContain('"source_id":"d-1"');
    expect(await run('auditor', 'show', idOf(9))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no delivery'),
    });
  });

  test('retry sends again what it names, and all that was given up, the oldest first', async () => {
    expect(await run('auditor', 'retry', '--failed')).toMatchObject({ code: 1, stderr: expect.stringContaining('may not do this') });
    answer = 200;
    seen.length = 0;
    const some = await run('admin', 'retry', idOf(2), idOf(9), '--json');
    expect([some.code, JSON.parse(some.stdout)]).toEqual([
      1,
      [
        { event_id: idOf(2), result: 'queued', code: null },
        { event_id: idOf(9), result: 'not_done', code: 'NOT_FOUND' },
      ],
    ]);
    expect(some.stderr).toBe('1 will be sent again, 1 cannot be.\n');
    expect(await run('admin', 'retry', '--failed')).toMatchObject({ code: 0, stderr: '2 will be sent again.\n' });
    await vi.waitFor(async () => expect(await list('--state', 'delivered')).toHaveLength(3), { timeout: 15_000, interval: 200 });
    expect(seen).toEqual([2, 1, 3].map(idOf));
  });

  test('off makes the next start the first one, once nothing is posted any more', async () => {
    const off = () => weir(['webhooks', 'off', '--yes'], { env: { DATABASE_URL: stack.db.url } });
    expect(await off()).toEqual({ code: 1, stdout: '', stderr: 'weir: webhooks has members; stop its service first\n' });
    await console.service.stop();
    expect(await off()).toMatchObject({ code: 0, stderr: expect.stringContaining('Webhooks are off for good.') });
    const { rows } = await stack.db.pool.query(`SELECT name FROM console.begun_groups UNION ALL
      SELECT g.name FROM log.assignments a JOIN log.groups g ON g.id = a.group_id WHERE g.name = 'webhooks'`);
    expect(rows).toEqual([]);
    const { rows: acts } = await stack.db.pool.query(
      "SELECT action, subject, person_id FROM access.activities WHERE action = 'webhooks_ended'",
    );
    expect(acts).toEqual([{ action: 'webhooks_ended', subject: 'webhooks', person_id: `os:${userInfo().username}` }]);
    expect((await off()).code).toBe(0);
    expect((await stack.db.pool.query("SELECT FROM access.activities WHERE action = 'webhooks_ended'")).rowCount).toBe(1);
  });

  test.each([
    [['retry'], 'give event ids, or --failed'],
    [['retry', idOf(1), '--failed'], 'give event ids, or --failed'],
    [['show', 'x'], 'is not an event id'],
    [['list', '--state', 'lost'], 'Allowed choices'],
  ])('wrong usage: %j', async (args, said) => {
    expect(await run('admin', ...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  });
});
