import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WeirClient, type WeirClientOptions, WeirError } from './index.ts';
import { cut, json, PassingClock, problem, type ScriptedServer, startScriptedServer } from './scripted-server.testing.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

let clock: PassingClock;
beforeEach(() => {
  clock = new PassingClock();
});

const token = 'secret-of-the-caller';
const client = (over: Partial<WeirClientOptions> = {}): WeirClient =>
  new WeirClient({ baseUrl: server.url, token, clock, timeoutMs: 3_600_000, random: () => 0, ...over });
const failureOf = (call: Promise<unknown>): Promise<WeirError> =>
  call.then(
    (value) => expect.fail(`it resolved with ${JSON.stringify(value)}`),
    (error: unknown) => {
      expect(error).toBeInstanceOf(WeirError);
      return error as WeirError;
    },
  );

const deposit = { deposit_id: 'd-1', coin: 'ETH', from_address: '0x1', to_address: '0x2', amount: '1' };
const accepted = { screening_id: '5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10' };
const resolution = { path: { screening_id: accepted.screening_id }, body: { action: 'allow', reason: 'known' } } as const;

describe('a call that Weir recognises', () => {
  test('is repeated over cut connections, 503 and 429, with the same content', async () => {
    server.script(problem(503, 'UNAVAILABLE'), cut, problem(429, 'TOO_MANY_REQUESTS', {}, { 'retry-after': '2' }), json(202, accepted));
    expect(await client().postDeposit(deposit)).toEqual(accepted);
    expect(server.seen.map(({ body }) => body)).toEqual([deposit, deposit, deposit, deposit]);
    expect(clock.pauses).toEqual([200, 400, 2_000]);
  });

  test('ends with the last error', async () => {
    server.script(cut, problem(503, 'STOPPING'));
    const error = await failureOf(client({ retry: { attempts: 3 } }).postDeposit(deposit));
    expect(error).toMatchObject({ code: 'STOPPING', status: 503, retriable: true, isUnprocessed: false });
    expect(server.seen).toHaveLength(3);
  });

  test('waits no longer than its policy says', async () => {
    server.script(problem(429, 'TOO_MANY_REQUESTS', {}, { 'retry-after': '11' }));
    expect(await failureOf(client().postDeposit(deposit))).toMatchObject({ retriable: true, retryAfterMs: 11_000 });
    expect([server.seen.length, clock.pauses]).toEqual([1, []]);
  });

  test('spreads by chance', async () => {
    server.script(cut, cut, json(202, accepted));
    await client({ random: () => 0.999 }).postDeposit(deposit);
    expect(clock.pauses.map(Math.round)).toEqual([100, 200]);
  });
});

describe('a call that would have a second effect', () => {
  test.each([
    ['a cut connection', cut],
    ['503', problem(503, 'UNAVAILABLE')],
  ])('is not repeated after %s', async (_, step) => {
    server.script(step);
    expect(await failureOf(client().call('resolve_review', resolution))).toMatchObject({ retriable: true, isUnprocessed: false });
    expect(server.seen).toHaveLength(1);
  });

  test('is repeated where Weir has not acted on it', async () => {
    const answer = { resolution_id: accepted.screening_id, state: 'pending_approval' };
    server.script(problem(429, 'TOO_MANY_REQUESTS', {}, { 'retry-after': '1' }), json(201, answer));
    expect(await client().call('resolve_review', resolution)).toEqual(answer);
    const closed = await startScriptedServer();
    await closed.close();
    const refused = client({ baseUrl: closed.url }).call('resolve_review', resolution);
    expect(await failureOf(refused)).toMatchObject({ code: 'NETWORK', isUnprocessed: true });
    expect(clock.pauses).toEqual([1_000, 200, 400, 800, 1_600]);
  });
});

test('a problem has its code and every wrong field, and the call is not repeated', async () => {
  const errors = [{ field: 'amount', detail: 'amount is required' }];
  server.script(problem(400, 'MALFORMED', { field: 'amount', errors }));
  const error = await failureOf(client().postDeposit(deposit));
  expect(error).toMatchObject({
    code: 'MALFORMED',
    status: 400,
    retriable: false,
    isUnprocessed: true,
    problem: { field: 'amount', errors },
  });
  expect(error.message).toBe('400 MALFORMED: told to people');
  expect(server.seen).toHaveLength(1);
});

describe('what is no answer of Weir is unreadable:', () => {
  const withdrawal = { withdrawal_id: 'w-1', screening_id: accepted.screening_id, status: 'allowed', reason_codes: [], rule: null };
  test.each([
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>allowed</p>')],
    ['no JSON', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":')],
    ['another withdrawal', json(200, { ...withdrawal, withdrawal_id: 'w-2' })],
    ['a status that does not exist', json(200, { ...withdrawal, status: 'Allowed' })],
    ['null', json(200, null)],
    ['too much', json(200, { ...withdrawal, more: 'x'.repeat(2_000) })],
  ] satisfies [string, Parameters<ScriptedServer['script']>[0]][])('%s', async (_, step) => {
    server.script(step);
    expect(await failureOf(client({ maxBytes: 1_000 }).getWithdrawal('w-1'))).toMatchObject({ code: 'UNREADABLE', retriable: false });
  });

  test('a body that was cut is read again', async () => {
    server.script(
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' }).write('{', () => response.destroy()),
      json(200, withdrawal),
    );
    expect(await client().getWithdrawal('w-1')).toEqual(withdrawal);
  });

  test('a page of a proxy is a status without problem details', async () => {
    server.script((response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>bad gateway</p>'));
    expect(await failureOf(client().getWithdrawal('w-1'))).toMatchObject({ code: 'NO_PROBLEM_DETAILS', status: 502, retriable: true });
  });
});

test('an answer that does not come ends the attempt, and the caller can end the call', async () => {
  // Enough for each attempt to arrive.
  const { clock: _, ...real } = { clock, baseUrl: server.url, token, timeoutMs: 1_000, retry: { attempts: 2, firstMs: 1 } };
  server.script(() => undefined);
  expect(await failureOf(new WeirClient(real).postDeposit(deposit))).toMatchObject({ code: 'TIMEOUT', retriable: true });
  expect(server.seen).toHaveLength(2);
  const stop = new AbortController();
  server.script(() => stop.abort());
  expect(await failureOf(client().postDeposit(deposit, { signal: stop.signal }))).toMatchObject({ code: 'ABORTED', retriable: false });
  expect(await failureOf(client().postDeposit(deposit, { signal: stop.signal }))).toMatchObject({ code: 'ABORTED' });
  expect(server.seen).toHaveLength(1);
});

test('the token goes to the address alone, and into no error', async () => {
  server.script((response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end());
  const error = await failureOf(client({ baseUrl: `${server.url}/behind/` }).postDeposit(deposit));
  expect(server.seen[0]).toMatchObject({ path: '/behind/v1/deposits', headers: { authorization: `Bearer ${token}` } });
  expect(error).toMatchObject({ code: 'NO_PROBLEM_DETAILS', status: 307 });
  const leaky = Object.assign(new TypeError(`failed with Bearer ${token}`), { cause: { code: token } });
  const failed = await failureOf(client({ fetch: () => Promise.reject(leaky), retry: { attempts: 1 } }).postDeposit(deposit));
  for (const found of [error, failed]) expect(inspect(found, { depth: 9, showHidden: true })).not.toContain(token);
  for (const baseUrl of ['ftp://x', 'nothing', 'https://user:pass@x/', 'https://x/?a=b'])
    expect(() => client({ baseUrl })).toThrow(TypeError);
});
