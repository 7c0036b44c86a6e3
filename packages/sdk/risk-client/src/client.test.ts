import { inspect } from 'node:util';
import { ManualClock } from '@weir/clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKey, askWhile, clientOf, envelope, whole, withData } from './answers.testing.ts';
import type { Fetch, QueryAnswer, RiskClient, RiskClientOptions } from './index.ts';
import { systemClock } from './clock.ts';
import { answer, type Behaviour, json, type RudeServer, startRudeServer } from './rude-server.testing.ts';
import { undiciFetch } from './undici.ts';

let server: RudeServer;
beforeAll(async () => {
  server = await startRudeServer();
});
afterAll(() => server.close());

describe.each<[string, Fetch]>([
  ['fetch', fetch],
  ['undici', undiciFetch()],
])('over %s', (_over, fetchWith) => {
  const client = (over?: Partial<RiskClientOptions>): RiskClient => clientOf(server, { fetch: fetchWith, ...over });
  const ask = (behaviour: Behaviour, over?: Partial<RiskClientOptions>): Promise<QueryAnswer> =>
    askWhile(server, behaviour, { fetch: fetchWith, ...over });

  test('a limit longer than a timer can hold is no limit that has passed', async () => {
    const answered = await ask(json({ success: true, msg: 'TaskUnderRunning', data: {} }), {
      clock: systemClock,
      timeoutMs: 3_000_000_000,
    });
    expect(answered).toEqual({ kind: 'running' });
  });

  describe('sends the key where it belongs', () => {
    const target = { coin: 'ETH', txid: '0x1', direction: 'withdraw' } as const;
    const created = json({ success: true, msg: '', data: { task_id: 't', has_result: true, scanned_ts: 7 } });

    test('in the query and the body, as the specification says', async () => {
      server.behave(created);
      expect(await client().createTask(target)).toEqual({ kind: 'created', task_id: 't', has_result: true, scanned_ts: 7 });
      await client().queryTask('a b&c');
      await client().riskScore({ coin: 'TRX', address: 'T1' });
      const [create, query, score] = server.seen;
      expect(create).toMatchObject({ method: 'POST', key: undefined });
      expect(create?.url.pathname).toBe('/base/v3/risk_score_create_task');
      expect(create?.url.search).toBe('');
      expect(JSON.parse(create?.body ?? '')).toEqual({ ...target, api_key: apiKey });
      expect(query?.url.pathname).toBe('/base/v3/risk_score_query_task');
      expect(Object.fromEntries(query?.url.searchParams ?? [])).toEqual({ task_id: 'a b&c', api_key: apiKey });
      expect(score?.url.pathname).toBe('/base/v3/risk_score');
      expect(Object.fromEntries(score?.url.searchParams ?? [])).toEqual({ coin: 'TRX', address: 'T1', api_key: apiKey });
    });

    test('in the header alone', async () => {
      server.behave(created);
      const headed = client({ keyIn: 'header' });
      await headed.createTask(target);
      await headed.queryTask('t');
      for (const seen of server.seen) {
        expect(seen.key).toBe(apiKey);
        expect(`${seen.url.href}${seen.body}`).not.toContain(apiKey);
      }
      expect(server.seen).toHaveLength(2);
    });
  });

  describe('an answer that does not come', () => {
    const silent: [string, Behaviour][] = [
      ['no head', () => undefined],
      ['no body', (response) => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()],
      ['half a body', (response) => response.writeHead(200, { 'content-type': 'application/json' }).write(whole.slice(0, 50))],
    ];
    test.each(silent)('is given up in time: %s', async (_, behaviour) => {
      expect(await ask(behaviour, { timeoutMs: 60 })).toEqual({
        kind: 'unavailable',
        reason: 'TIMEOUT',
        detail: 'no whole answer within 60 ms',
      });
    });

    test('does not keep its connection', async () => {
      const closed = Promise.withResolvers<void>();
      const behaviour: Behaviour = (response) => {
        response.on('close', closed.resolve);
        response.writeHead(200, { 'content-type': 'application/json' }).write(whole.slice(0, 50));
      };
      // Enough for the request to arrive.
      expect(await ask(behaviour, { timeoutMs: 1_000 })).toMatchObject({ reason: 'TIMEOUT' });
      await closed.promise;
    });

    test('is given up when the caller says so', async () => {
      const stop = new AbortController();
      server.behave(() => stop.abort());
      const expected = { kind: 'unavailable', reason: 'NETWORK', detail: 'aborted by the caller' };
      expect(await client().queryTask('t', stop.signal)).toEqual(expected);
      expect(await client().queryTask('t', stop.signal)).toEqual(expected);
      expect(server.seen).toHaveLength(1);
    });

    test('is named when nobody listens', async () => {
      const nobody = client({ baseUrl: 'http://127.0.0.1:1' });
      expect(await nobody.createTask({ coin: 'ETH', address: '0x1' })).toMatchObject({ kind: 'unavailable', reason: 'NETWORK' });
    });
  });

  test('leaves no timer behind', async () => {
    const clock = new ManualClock();
    expect(await ask(json(envelope), { clock })).toMatchObject({ kind: 'scored' });
    expect(clock.sleeping).toBe(0);
  });

  test('the key is in no outcome, whatever fetch says', async () => {
    const leaky = (): Promise<Response> => {
      const cause = Object.assign(new Error(`at ${apiKey}`), { code: apiKey });
      return Promise.reject(new TypeError(`failed: http://x/?api_key=${apiKey}`, { cause }));
    };
    const got = client({ fetch: leaky });
    expect(JSON.stringify(await got.queryTask('t'))).toBe('{"kind":"unavailable","reason":"NETWORK","detail":"no connection"}');
    expect(inspect(got, { depth: 9, showHidden: true })).not.toContain(apiKey);

    const wordKey = 'SecretWord';
    const refused = await ask(json({ success: false, msg: `No${wordKey}` }, 401), { apiKey: wordKey });
    expect(refused).toEqual({ kind: 'rejected', status: 401, code: 'HTTP_401' });

    const echo = await ask(withData({ address_label: `hello ${apiKey}`, risk_report_url: `https://x/?api_key=${apiKey}` }));
    expect(echo.kind).toBe('scored');
    expect(JSON.stringify(echo)).not.toContain(apiKey);
  });

  test.each(['ftp://x', 'nothing', 'https://user:secret@x/', 'https://x/?a=secret', 'https://x/#secret'])(
    'refuses the base URL %s without repeating it',
    (baseUrl) => {
      expect(() => client({ baseUrl })).toThrow(/^the base URL must be http or https, without user, query or fragment$/);
    },
  );

  test.each(['', 'secret\n', 'sécret'])('refuses a key that no header can carry: %j', (key) => {
    expect(() => client({ apiKey: key })).toThrow(/^the API key is empty or has characters that no header can carry$/);
  });

  test('tells of every call how it ended', async () => {
    const calls: unknown[] = [];
    const onCall: RiskClientOptions['onCall'] = (ended) => calls.push(ended);
    await ask(json(envelope), { onCall });
    await ask(answer(429, ''), { onCall });
    await ask(answer(500, ''), { onCall });
    server.behave(answer(500, ''));
    await client({ onCall }).createTask({ coin: 'ETH', address: '0x1' });
    await client({ onCall }).riskScore({ coin: 'ETH', address: '0x1' });
    const durationMs = expect.any(Number) as number;
    expect(calls).toEqual([
      { operation: 'query_task', outcome: 'scored', durationMs },
      { operation: 'query_task', outcome: 'limited_second', durationMs },
      { operation: 'query_task', outcome: 'unavailable_http_status', durationMs },
      { operation: 'create_task', outcome: 'unavailable_http_status', durationMs },
      { operation: 'risk_score', outcome: 'unavailable_http_status', durationMs },
    ]);
  });
});
