import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { everybody, operation, problem, type RunningServer, serve } from './index.ts';
import { mount } from './api/operation.ts';

let server: RunningServer;
const limited = operation({
  name: 'limited',
  method: 'POST',
  path: '/limited',
  tag: 'test',
  summary: 'Takes a text.',
  answers: [],
  admission: everybody,
  body: { schema: z.object({ text: z.string() }), what: 'a text', example: {} },
  respond: (c, { body }) => c.json({ length: body.text.length }),
});
const app = new Hono()
  .post('/refused', (c) => problem(c, 401, 'UNAUTHENTICATED', 'nobody'))
  .post('/nothing', (c) => c.body(null, 204))
  // A body that never arrives in full.
  .onError((_, c) => problem(c, 503, 'UNAVAILABLE', 'gone'));
mount(app, [limited]);

/** A client with one connection, kept for as long as the server keeps it. */
let agent: Agent;
beforeEach(async () => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await listen();
});
afterEach(async () => {
  agent.destroy();
  await server.close(0);
});

async function listen(options: { requestTimeoutMs?: number } = {}): Promise<void> {
  await server?.close(0);
  server = await serve(app, { host: '127.0.0.1', port: 0, ...options });
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends through the pool. `chunked` omits the length. */
function send(path: string, body: string, options: { chunked?: boolean; headers?: Record<string, string> } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = options.chunked === true ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(
      {
        host: '127.0.0.1',
        port: server.port,
        path,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...length, ...options.headers },
      },
      (answer) => {
        text(answer).then((read) => resolve({ status: answer.statusCode, headers: answer.headers, body: read }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const small = JSON.stringify({ text: 'small' });
const large = JSON.stringify({ text: 'x'.repeat(70_000) });
const huge = JSON.stringify({ text: 'x'.repeat(4_000_000) });

describe('a pooled client loses no request after one whose body was refused:', () => {
  test.each([
    ['a little too large', '/limited', large, {}, 413],
    ['far too large', '/limited', huge, {}, 413],
    ['too large, of a length that is not told', '/limited', huge, { chunked: true }, 413],
    ['refused before it is read', '/refused', huge, {}, 401],
    ['answered without a body', '/nothing', huge, { chunked: true }, 204],
  ])('%s', async (_, path, body, options, status) => {
    for (let n = 0; n < 5; n += 1) {
      const [refused, next] = await Promise.all([send(path, body, options), send('/limited', small)]);
      expect(next).toMatchObject({ status: 200, body: '{"length":5}' });
      expect(refused).toMatchObject({ status, headers: { connection: 'close' } });
    }
  });

  test('with headers that are too large', async () => {
    for (let n = 0; n < 5; n += 1) {
      const [refused, next] = await Promise.all([
        send('/limited', small, { headers: { 'x-large': 'x'.repeat(20_000) } }),
        send('/limited', small),
      ]);
      expect(refused).toMatchObject({ status: 431, headers: { connection: 'close', 'content-type': 'application/problem+json' } });
      expect(JSON.parse(refused.body)).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
      expect(next.status).toBe(200);
    }
  });
});

test('an answer to a body that was read leaves the connection open, for longer than a proxy keeps it', async () => {
  const { status, headers } = await send('/limited', small);
  expect({ status, connection: headers.connection, keepAlive: headers['keep-alive'] }).toEqual({
    status: 200,
    connection: 'keep-alive',
    keepAlive: 'timeout=75',
  });
});

/** Sends everything before reading, as simple clients do. Returns everything until the server closes. */
async function sendThenRead(...parts: readonly string[]): Promise<string> {
  const socket = connect(server.port, '127.0.0.1').pause();
  await once(socket, 'connect');
  for (const part of parts) if (!socket.write(part)) await once(socket, 'drain');
  return text(socket);
}

const head = 'POST /limited HTTP/1.1\r\nHost: weir\r\nContent-Type: application/json\r\n';

test('a client that sends all before it reads gets the whole 413', async () => {
  const answer = await sendThenRead(`${head}Content-Length: ${huge.length}\r\n\r\n`, ...chunksOf(huge));
  expect(answer).toMatch(/^HTTP\/1\.1 413 Content Too Large|^HTTP\/1\.1 413 Payload Too Large/);
  expect(answer).toContain('BODY_TOO_LARGE');
});

test('a client that sends all before it reads gets the whole 431', async () => {
  const answer = await sendThenRead(`${head}X-Large: ${'x'.repeat(20_000)}\r\nContent-Length: ${huge.length}\r\n\r\n`, ...chunksOf(huge));
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(answer).toContain('HEADERS_TOO_LARGE');
});

test('a request that does not arrive in time is 408 and ends its connection', async () => {
  await listen({ requestTimeoutMs: 50 });
  const answer = await sendThenRead(`${head}Content-Length: 100\r\n\r\n{"text"`);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
  expect(answer).toContain('REQUEST_TIMEOUT');
});

test('what is not HTTP is 400 and ends its connection', async () => {
  const answer = await sendThenRead('HELO weir\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/);
});

function chunksOf(body: string): string[] {
  return Array.from({ length: Math.ceil(body.length / 65_536) }, (_, n) => body.slice(n * 65_536, (n + 1) * 65_536));
}
