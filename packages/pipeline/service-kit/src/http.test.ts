import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { afterEach, expect, test } from 'vitest';
import { createApp, createLogger, healthRoutes, ListenError, problem, type RunningServer, serve } from './index.ts';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line: string) => void lines.push(line) } });
const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

async function listen(app: Hono): Promise<RunningServer & { url: string }> {
  const server = await serve(app, { host: '127.0.0.1', port: 0 });
  running.push(server);
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

test('what is not found is a problem', async () => {
  const answer = await createApp(logger).request('/nowhere?api_key=sesame');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    code: 'NOT_FOUND',
    detail: 'there is no GET /nowhere',
  });
});

const noConnection = 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT 08000 08006';
/** Shut down, crashed, not up yet, session ended; no connection, memory or disk left. */
const notNow = '57P01 57P02 57P03 57P05 53300 53200 53100 ENOSPC';
/** A statement timeout, and a read-only server. */
const passing = '57014 25006';
const awayStates = [noConnection, notNow, passing].flatMap((codes) => codes.split(' '));

test.each<[string, Error, number, string]>([
  ['a defect', new TypeError('sesame'), 500, 'INTERNAL'],
  ['what may be tried again', Object.assign(new Error('sesame'), { retriable: true }), 503, 'UNAVAILABLE'],
  ...awayStates.map((code): [string, Error, number, string] => [
    `a database that is away (${code})`,
    Object.assign(new Error('sesame'), { code }),
    503,
    'UNAVAILABLE',
  ]),
  ...['23505', '22P02', '42P01', '0A000', 'ERR_INVALID_ARG_TYPE'].map((code): [string, Error, number, string] => [
    `a statement that is wrong (${code})`,
    Object.assign(new Error('sesame'), { code }),
    500,
    'INTERNAL',
  ]),
  ['what is not tried again', Object.assign(new Error('sesame'), { retriable: false }), 500, 'INTERNAL'],
])('%s is a problem that is logged and not told', async (_, error, status, code) => {
  const app = createApp(logger);
  app.route(
    '/',
    new Hono().get('/x', () => {
      throw error;
    }),
  );
  lines.length = 0;
  const answer = await app.request('/x?api_key=sesame');
  const text = await answer.text();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  expect(JSON.parse(text)).toMatchObject({ status, code });
  expect(text).not.toContain('sesame');
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ method: 'GET', path: '/x', err: { message: 'sesame' } });
  expect(lines.join('')).not.toContain('api_key');
});

test('an HTTP exception keeps its status', async () => {
  const app = createApp(logger);
  app.get('/x', () => {
    throw new HTTPException(413, { message: 'too large' });
  });
  expect(await (await app.request('/x')).json()).toMatchObject({
    status: 413,
    code: 'HTTP_ERROR',
    title: 'Content Too Large',
    detail: 'too large',
  });
});

test.each([
  [409, 'Conflict'],
  [410, 'Gone'],
  [422, 'Unprocessable Content'],
  [429, 'Too Many Requests'],
] as const)('the title of %i is %s', async (status, title) => {
  const app = new Hono().get('/', (c) => problem(c, status, 'CODE', 'why', { more: 1 }));
  expect(await (await app.request('/')).json()).toEqual({ type: 'about:blank', title, status, code: 'CODE', detail: 'why', more: 1 });
});

test('readiness names what is away, and health does not ask', async () => {
  const unavailable: string[] = [];
  const app = healthRoutes({ unavailable: async () => unavailable, expose: async () => ({ type: 'text/x-metrics', text: 'weir_x 1\n' }) });
  expect((await app.request('/readyz')).status).toBe(200);
  unavailable.push('database');
  const answer = await app.request('/readyz');
  expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready', unavailable: ['database'] }]);
  expect((await app.request('/healthz')).status).toBe(200);
  const metrics = await app.request('/metrics');
  expect([metrics.headers.get('content-type'), await metrics.text()]).toEqual(['text/x-metrics', 'weir_x 1\n']);
});

test('a port that is in use is named', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const failure = await serve(new Hono(), { host: '127.0.0.1', port }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ListenError);
  expect(failure).toMatchObject({ code: 'PORT_IN_USE', retriable: false, message: `port ${port} is in use; choose another` });
  await new Promise((resolve) => other.close(resolve));
});

test('an address that is not of this machine is named', async () => {
  await expect(serve(new Hono(), { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
    code: 'PORT_UNUSABLE',
    message: expect.stringContaining('192.0.2.1:0'),
  });
});

/** An app whose `/slow` answers on demand. */
function slowApp(): { app: Hono; started: Promise<void>; finish: () => void } {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const app = new Hono().get('/slow', async (c) => {
    started.resolve();
    await finish.promise;
    return c.text('done');
  });
  return { app, started: started.promise, finish: () => finish.resolve() };
}

test('1,500 clients that connect at once are all answered, twice', async () => {
  const server = await listen(new Hono().post('/', async (c) => c.text(await c.req.text())));
  const agents = Array.from({ length: 1_500 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const ask = (agent: Agent, n: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: server.port, method: 'POST', agent }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
      });
      sent.on('error', reject).end(String(n));
    });
  try {
    for (const round of [0, 1_500]) {
      const answers = await Promise.all(agents.map((agent, n) => ask(agent, round + n)));
      expect(answers).toEqual(agents.map((_, n) => String(round + n)));
    }
  } finally {
    for (const agent of agents) agent.destroy();
  }
});

test('takes a maximum of connections, and others again when there is room', async () => {
  const app = new Hono().get('/', (c) => c.text('ok'));
  const server = await serve(app, { host: '127.0.0.1', port: 0, maxConnections: 2 });
  running.push(server);
  const open = async (): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const held = [await open(), await open()];
  const third = await open();
  await once(third, 'close');
  held[0]?.destroy();
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${server.port}/`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  held[1]?.destroy();
});

test('closing lets a running request end, takes no new ones, and does not wait for connections that are idle or become so', async () => {
  const { app, started, finish } = slowApp();
  app.get('/quick', (c) => c.text('ok'));
  const server = await listen(app);
  await (await fetch(`${server.url}/quick`)).text();
  const answer = fetch(`${server.url}/slow`);
  await started;
  const closed = server.close(3_600_000);
  await expect(fetch(`${server.url}/quick`, { headers: { connection: 'close' } })).rejects.toThrow();
  finish();
  expect(await (await answer).text()).toBe('done');
  await closed;
});

test('closing does not wait longer than it is given', async () => {
  const { app, started } = slowApp();
  const server = await listen(app);
  const answer = fetch(`${server.url}/slow`).catch(() => 'cut');
  await started;
  await server.close(10);
  expect(await answer).toBe('cut');
});
