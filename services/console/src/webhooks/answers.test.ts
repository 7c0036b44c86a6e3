import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventId, screeningId } from '@weir/contracts';
import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConsoleSettings } from '../config.ts';
import { consoleRole, decided, publish } from '../events.testing.ts';
import { type PostingConsole, settingsFor, startPosting } from './console.testing.ts';
import { type Behaviour, newSecret, type Receiver, startReceiver, status } from './receiver.testing.ts';

let stack: TestStack;
let receiver: Receiver;
let console: PostingConsole;
beforeEach(async () => {
  stack = await openTestStack({ roles: [consoleRole] });
  receiver = await startReceiver();
});
afterEach(async () => {
  await stack.close();
  await receiver.close();
});

const idOf = (n: number): string => eventId('screenings.decided', screeningId('deposit', `deposit-${n}`), 1);
const show = async (n = 1) => (await console.ask('GET', `/v1/webhooks/deliveries/${idOf(n)}`)).body;
const until = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const quick = { webhookTimeoutMs: 60_000, webhookRetryDelaysS: '1,1,1,1,1,1,1,1' };
async function open(over: Partial<ConsoleSettings> = {}): Promise<void> {
  console = await startPosting(stack, settingsFor(receiver, { ...quick, ...over }));
}
const tell = (...all: number[]): Promise<void> =>
  publish(
    console.pipeline,
    all.map((n) => decided('deposit', n)),
  );

describe('a receiver that', () => {
  test.each<[string, Behaviour, { last_error: string; last_status: number | null }]>([
    ['does not answer', () => undefined, { last_error: 'TIMEOUT', last_status: null }],
    ['cuts the connection', (_response, _arrival, request) => request.socket.destroy(), { last_error: 'CUT', last_status: null }],
    ['redirects', status(302, { location: 'http://127.0.0.1:9/elsewhere' }), { last_error: 'REDIRECT', last_status: 302 }],
    ['keeps the method while it redirects', status(307, { location: '/hook' }), { last_error: 'REDIRECT', last_status: 307 }],
    ['refuses', status(422), { last_error: 'REFUSED', last_status: 422 }],
  ])('%s has not taken it, and gets it again', async (_, behaviour, expected) => {
    // Only silence needs a limit that a test can wait for; on a busy machine the other answers may take longer than that.
    await open(expected.last_error === 'TIMEOUT' ? { webhookTimeoutMs: 400 } : {});
    receiver.behave(behaviour);
    await tell(1);
    await until(async () => expect((await show()).attempts).toBeGreaterThanOrEqual(1));
    const { last_error, last_status, state } = await show();
    expect({ last_error: last_error.split(' ')[0], last_status, state }).toEqual({ ...expected, state: 'pending' });
    receiver.behave(status(202));
    await until(async () => expect(await show()).toMatchObject({ state: 'delivered', last_status: 202, last_error: null }));
    expect(new Set(receiver.arrivals.map(({ body }) => body)).size).toBe(1);
  });

  test.each<[string, number, Behaviour]>([
    [
      'sends an answer without end',
      60_000,
      (response) => {
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    ['never ends its answer', 3_000, (response) => void response.writeHead(200).write('ok')],
    [
      'cuts its answer short',
      60_000,
      (response, _arrival, request) => {
        response.writeHead(200, { 'content-length': '1000' }).write('ok', () => request.socket.destroySoon());
      },
    ],
  ])('%s has taken it all the same', async (_, webhookTimeoutMs, behaviour) => {
    await open({ webhookTimeoutMs });
    receiver.behave(behaviour);
    await tell(1);
    await until(async () => expect(await show()).toMatchObject({ state: 'delivered', attempts: 1, last_status: 200 }));
    expect(receiver.arrivals).toHaveLength(1);
  });

  test('hangs for one screening holds up neither the others nor the reading', async () => {
    await open({ webhookConcurrency: 2 });
    receiver.behave((response, { payload }) => {
      if (payload.data.source_id !== 'deposit-1') setTimeout(() => response.writeHead(200).end(), 20);
    });
    await tell(1);
    await until(() => expect(receiver.arrivals).toHaveLength(1));
    await tell(...Array.from({ length: 50 }, (_, n) => n + 2));
    await until(() => expect(receiver.taken().size).toBe(50));
    expect(receiver.most).toBe(2);
    expect(await show()).toMatchObject({ state: 'pending', attempts: 0 });
  });

  test('is stopped by the console while it works is asked again by the next, and no attempt is counted', async () => {
    await open({ webhookTimeoutMs: 60_000 });
    receiver.behave(() => undefined);
    await tell(1);
    await until(() => expect(receiver.arrivals).toHaveLength(1));
    await console.stop();
    receiver.behave(status(200));
    await open();
    await until(async () => expect(await show()).toMatchObject({ state: 'delivered', attempts: 1 }));
  });
});

describe('an address', () => {
  const at = async (url: string, over: Partial<ConsoleSettings> = {}): Promise<string> => {
    await open({ webhookUrl: url, ...over });
    await tell(1);
    await until(async () => expect((await show()).attempts).toBeGreaterThanOrEqual(1));
    return (await show()).last_error;
  };
  let other: Server | undefined;
  afterEach(() => other?.close());

  test('without a name server entry is unreachable', async () => {
    expect(await at('https://nowhere.invalid/hook', { webhookTimeoutMs: 3_000 })).toMatch(/^UNREACHABLE (ENOTFOUND|EAI_AGAIN)$|^TIMEOUT$/);
  });

  test('where nobody listens is unreachable', async () => {
    const { url } = await startReceiver().then(async (gone) => (await gone.close(), gone));
    expect(await at(url)).toBe('UNREACHABLE ECONNREFUSED');
  });

  test('that does not speak TLS is told as such', async () => {
    other = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    expect(await at(`https://127.0.0.1:${(other.address() as AddressInfo).port}/`)).toMatch(/^TLS /);
  });
});

test('what waits while the receiver is down comes when it is back: a thousand', async () => {
  await open({ webhookTimeoutMs: 5_000 });
  const { url, secret } = receiver;
  await receiver.close();
  const numbers = Array.from({ length: 1_000 }, (_, n) => n);
  await tell(...numbers);
  await until(async () => expect(await console.scrape()).toMatch(/weir_webhook_deliveries_total\{result="repeated"\} [2-9]/));
  expect(await console.scrape()).toMatch(/weir_webhook_oldest_seconds [0-9.]+/);
  receiver = await startReceiver({ secret, port: Number(new URL(url).port) });
  await vi.waitFor(() => expect(receiver.taken().size).toBe(1_000), { timeout: 25_000, interval: 50 });
  await until(async () => expect((await console.ask('GET', '/v1/webhooks/deliveries?state=pending')).body.items).toEqual([]));
  // Only probes spent attempts during the outage.
  const { rows } = await stack.db.pool.query<{ most: number; all: bigint }>(
    'SELECT max(attempts) AS most, sum(attempts)::bigint AS all FROM console.deliveries',
  );
  expect(rows[0]?.most).toBeLessThanOrEqual(6);
  expect(Number(rows[0]?.all)).toBeLessThan(1_050);
  expect(receiver.unverified).toBe(0);
  expect(receiver.most).toBeLessThanOrEqual(8);
});

test('no secret is logged, whatever happens', async () => {
  const second = newSecret();
  await open({ webhookSecrets: `${receiver.secret},${second}`, webhookUrl: `${receiver.url}?key=sesame` });
  let n = 0;
  const rude: Behaviour[] = [status(500), (_response, _arrival, request) => request.socket.destroy(), status(410)];
  receiver.behave((...of) => rude[n++ % rude.length]?.(...of));
  await tell(1, 2, 3);
  await until(() => expect(console.logged()).toContain('410 Gone'));
  for (const text of [
    console.logged(),
    await console.scrape(),
    JSON.stringify((await console.ask('GET', '/v1/webhooks/deliveries')).body),
  ]) {
    for (const secret of [receiver.secret, second, receiver.secret.slice(6), second.slice(6), 'sesame', 'v1,'])
      expect(text).not.toContain(secret);
  }
});
