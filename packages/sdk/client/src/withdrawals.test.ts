import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WeirClient } from './index.ts';
import { cut, json, PassingClock, problem, type ScriptedServer, type Step, startScriptedServer } from './scripted-server.testing.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

let clock: PassingClock;
let client: WeirClient;
beforeEach(() => {
  clock = new PassingClock();
  client = new WeirClient({ baseUrl: server.url, token: async () => 't', clock, timeoutMs: 3_600_000, random: () => 0 });
});

const withdrawal = { withdrawal_id: 'w-1', coin: 'ETH', to_address: '0x2', amount: '1' };
const viewOf = (status: string) => ({ withdrawal_id: 'w-1', screening_id: 's', status, reason_codes: [], rule: null });

describe('a withdrawal', () => {
  /** Waits as long as it is asked to. */
  const pending: Step = (response, request) => {
    clock.pass(Number(/\d+/.exec(String(request.headers['prefer']))?.[0]) * 1_000);
    json(202, viewOf('pending'))(response, request);
  };

  test('is waited for in pieces that proxies endure, and for no longer than asked', async () => {
    server.script(pending);
    expect(await client.requestWithdrawal(withdrawal, { waitMs: 45_000 })).toMatchObject({ status: 'pending' });
    expect(server.seen.map(({ headers }) => headers['prefer'])).toEqual(['wait=20', 'wait=20', 'wait=4']);
    expect(server.seen.map(({ body }) => body)).toEqual([withdrawal, withdrawal, withdrawal]);
  });

  test('gets the decision as soon as it is made', async () => {
    server.script(pending, cut, json(200, viewOf('held')));
    expect(await client.requestWithdrawal(withdrawal, { waitMs: 60_000 })).toMatchObject({ status: 'held' });
    expect(server.seen).toHaveLength(3);
  });

  test('is not asked for in a loop when the gate ends the wait early', async () => {
    server.script(json(202, viewOf('pending')));
    expect(await client.requestWithdrawal(withdrawal, { waitMs: 2_000 })).toMatchObject({ status: 'pending' });
    expect(clock.pauses).toEqual([500, 500, 500, 500]);
  });

  test('is asked for once without a wait', async () => {
    server.script(json(202, viewOf('pending')));
    await client.requestWithdrawal(withdrawal, { waitMs: 0 });
    expect(server.seen.map(({ headers }) => headers['prefer'])).toEqual(['wait=0']);
  });
});

describe('a permit', () => {
  const terms = { permit: 'a.b.c', chain: 'ethereum', coin: 'ETH', to_address: '0x2', amount: '1' };
  const redemption = { permit_id: 'p', redeemed_at: '2026-01-31T09:13:00.000Z' };
  const own = (): string => String((server.seen[0]?.body as { redemption_id?: string } | undefined)?.redemption_id);
  const redeemedBefore =
    (redemption_id: () => string | undefined): Step =>
    (...exchange) =>
      problem(409, 'REDEEMED_BEFORE', { ...redemption, redemption_id: redemption_id() })(...exchange);

  test('is redeemed once; a lost answer is recognised by the redemption_id', async () => {
    server.script(cut, redeemedBefore(own));
    expect(await client.redeemPermit(terms)).toEqual({ ...redemption, redemption_id: own(), isRepeat: true });
    expect(server.seen.map(({ body }) => body)).toEqual([1, 2].map(() => ({ ...terms, redemption_id: own() })));
  });

  test('that somebody else has redeemed is not', async () => {
    for (const other of [() => 'other', () => undefined]) {
      server.script(redeemedBefore(other));
      await expect(client.redeemPermit(terms)).rejects.toMatchObject({ code: 'REDEEMED_BEFORE', retriable: false });
    }
  });

  test('is redeemed under the id that the caller keeps', async () => {
    server.script((...exchange) => json(200, { withdrawal_id: 'w-1', ...redemption, redemption_id: 'mine' })(...exchange));
    expect(await client.redeemPermit({ ...terms, redemption_id: 'mine' })).toEqual({
      ...redemption,
      redemption_id: 'mine',
      isRepeat: false,
    });
  });

  test.each<[string, Step]>([
    ['another redemption', json(200, { ...redemption, redemption_id: 'other' })],
    ['nothing', json(200, {})],
    ['revoked', problem(410, 'REVOKED')],
  ])('is not redeemed by an answer of %s', async (_, step) => {
    server.script(step);
    await expect(client.redeemPermit(terms)).rejects.toMatchObject({ name: 'WeirError', retriable: false });
  });
});

test('lists are read page by page, as they are taken', async () => {
  const page = (n: number, next_cursor: string | null): Step => json(200, { items: [{ screening_id: `s-${n}` }], next_cursor });
  server.script(page(1, 'a/b'), page(2, 'c'), page(3, null));
  const taken: string[] = [];
  for await (const { screening_id } of client.all('list_screenings', { kind: 'deposit' })) {
    taken.push(screening_id);
    expect(server.seen).toHaveLength(taken.length);
  }
  expect(taken).toEqual(['s-1', 's-2', 's-3']);
  const paths = server.seen.map(({ path }) => path);
  expect(paths).toEqual(['', '&cursor=a%2Fb', '&cursor=c'].map((cursor) => `/v1/screenings?kind=deposit${cursor}`));
});

test('segments of a path are encoded, and answers are read by their type', async () => {
  server.script((response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF'));
  const report = await client.call('get_screening_report', { path: { screening_id: 'a?b c' } });
  expect(server.seen[0]?.path).toBe('/v1/screenings/a%3Fb%20c/report');
  expect(Buffer.from(report).toString()).toBe('%PDF');
  server.script((response) => response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('note'));
  expect(await client.call('get_checkpoint', {})).toBe('note');
});
