import { consoleSchema, type ScreeningView, startConsole } from '@weir/console';
import { screeningId } from '@weir/contracts';
import { decided, requested, scored } from '@weir/contracts/testing';
import { createApp, createLogger, loadConfig, type RunningServer, serve, storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, weir } from '../testing/weir.ts';

const id = screeningId('deposit', 'd-1');
let stack: TestStack;
let server: RunningServer;

const run = (role: string, ...args: string[]): Promise<Ended> =>
  weir(args, { env: { WEIR_CONSOLE_URL: `http://127.0.0.1:${server.port}`, WEIR_TOKEN: role } });

beforeAll(async () => {
  stack = await openTestStack();
  const { pipeline, service } = await stack.service((own) => startConsole(own, loadConfig(consoleSchema, {})));
  for (const role of ['reviewer', 'auditor'] as const) await storeToken(stack.db.pool, role, role, role);
  server = await serve(createApp(createLogger({ service: 'console', level: 'silent' }), service.operations), {
    host: '127.0.0.1',
    port: 0,
  });
  for (const n of ['d-1', 'd-2']) {
    const request = requested(n);
    await publishTo(pipeline, 'screenings.requested', { ...request, transfer: { ...request.transfer, user_id: 'u-1' } });
  }
  const old = requested('d-0', { requested_at: Date.UTC(2025, 0, 1) });
  await publishTo(pipeline, 'screenings.requested', old);
  await publishTo(pipeline, 'screenings.decided', decided('d-0', { requested_at: old.requested_at }));
  await publishTo(pipeline, 'screenings.scored', scored('d-1', 1, 1, { score: 80, risk_level: 'High' }));
  await caughtUp(pipeline, 'console');
});
afterAll(async () => {
  await server.close();
  await stack.close();
});

test('screenings list takes every filter of the console', async () => {
  const filters =
    '--kind deposit --level High --source-id d-1 --since 2000-01-01T00:00:00Z --until 2100-01-01T00:00:00Z --min-usd 1 --max-usd 1000000000 --sort value';
  const found = await run('auditor', 'screenings', 'list', '--json', ...filters.split(' '));
  expect(JSON.parse(found.stdout)).toMatchObject([{ screening_id: id, transfer: { deposit_id: 'd-1' } }]);
  const people = await run('auditor', 'screenings', 'list', '--limit', '1');
  expect([people.stdout.split('\n'), people.stderr]).toEqual([
    [expect.stringMatching(/^REQUESTED +SCREENING +KIND /), expect.stringContaining('deposit'), ''],
    '1 screening; --limit shows more.\n',
  ]);
  expect((await run('auditor', 'screenings', 'list', '--rule', 'none', '--address', 'x')).stderr).toBe('No matching screening.\n');
});

test('the oldest screenings that wait are not those that were decided before them', async () => {
  const oldest = async (...flags: string[]): Promise<unknown[]> => {
    const { stdout } = await run('auditor', 'screenings', 'list', ...flags, '--sort', 'oldest', '--limit', '20', '--json');
    return (JSON.parse(stdout) as ScreeningView[]).map(({ transfer }) => transfer.deposit_id);
  };
  expect((await oldest())[0]).toBe('d-0');
  expect(new Set(await oldest('--open'))).toEqual(new Set(['d-1', 'd-2']));
});

test('a value that the console does not take is a usage error', async () => {
  const { code, stdout, stderr } = await run('auditor', 'screenings', 'list', '--min-usd', 'abc');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^weir: min_usd must be [^\n]+\nRun 'weir screenings list --help' for usage\.\n$/);
});

test('screenings show shows the transfer, the result and that there is no decision', async () => {
  const { stdout, code } = await run('auditor', 'screenings', 'show', id);
  expect(code).toBe(0);
  for (const part of ['deposit_id    d-1\n', 'score         80 High\n', 'No decision yet.\n']) expect(stdout).toContain(part);
});

test('users show sums up', async () => {
  const { stdout } = await run('auditor', 'users', 'show', 'u-1');
  expect(stdout).toMatch(/^deposit +2 +\d+ +0$/m);
  expect(stdout).toMatch(/^held now +0 +unknown +0$/m);
});

test('a review is noted, assigned and given a due time, and shown with these', async () => {
  expect(await run('reviewer', 'reviews', 'note', id, 'Asked the customer.')).toEqual({
    code: 0,
    stdout: '',
    stderr: `${id}: the note is stored.\n`,
  });
  expect((await run('reviewer', 'reviews', 'assign', id, 'Ann')).stderr).toBe(`${id}: assigned to Ann.\n`);
  const due = await run('reviewer', 'reviews', 'due', id, '2031-01-31T00:00:00+01:00', '--json');
  expect(JSON.parse(due.stdout)).toEqual({ assignee: 'Ann', due_at: '2031-01-30T23:00:00.000Z' });
  const { stdout } = await run('auditor', 'reviews', 'show', id);
  for (const part of ['  Ann       2031-01-30T23:00:00.000Z\n', 'note by reviewer: Asked the customer.\n']) expect(stdout).toContain(part);
  expect((await run('reviewer', 'reviews', 'due', id, 'none')).stderr).toBe(`${id}: no due time.\n`);
  expect(await run('auditor', 'reviews', 'assign', id, 'Ann')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('may not do this'),
  });
});
