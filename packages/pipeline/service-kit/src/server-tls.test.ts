import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@weir/clock';
import { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../test/support/stack/ports.ts';
import { ConfigError, type RunningServer, serve, serveBoth, type ServeOptions } from './index.ts';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-server-tls-'));
  for (const name of ['first', 'second']) {
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`)];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'ignore', timeout: 20_000 });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

function use(name: string): void {
  for (const end of ['crt', 'key']) cpSync(at(`${name}.${end}`), at(`used.${end}`));
}

async function listen(options: Partial<ServeOptions> = {}): Promise<number> {
  const app = new Hono().get('/', (c) => c.text('ok'));
  const files = { tlsCertFile: at('used.crt'), tlsKeyFile: at('used.key') };
  const server = await serve(app, { host: '127.0.0.1', port: 0, ...files, ...options });
  running.push(server);
  return server.port;
}

/** The status of a request that trusts this certificate alone, or the code of its error. */
function ask(port: number, trusted: string): Promise<unknown> {
  return new Promise((resolve) => {
    const sent = get({ host: '127.0.0.1', port, ca: readFileSync(at(`${trusted}.crt`)), agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

test('serves HTTPS with the certificate, and refuses plain HTTP', async () => {
  use('first');
  const port = await listen();
  expect(await ask(port, 'first')).toBe(200);
  expect(await ask(port, 'second')).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

test('a renewed certificate is served within a minute, and a broken one leaves the one before', async () => {
  use('first');
  const clock = new ManualClock();
  const ends: Date[] = [];
  const errors: unknown[] = [];
  const renewed = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const port = await listen({
    clock,
    onCertificate: ({ expiresAt }) => {
      ends.push(expiresAt);
      if (ends.length === 2) renewed.resolve();
    },
    onCertificateError: (error) => {
      errors.push(error);
      refused.resolve();
    },
  });
  use('second');
  expect(await ask(port, 'first')).toBe(200);
  await clock.advance(60_000);
  await renewed.promise;
  expect([await ask(port, 'first'), await ask(port, 'second')]).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', 200]);
  expect(ends.map((end) => end.getTime() > Date.now())).toEqual([true, true]);
  cpSync(at('first.key'), at('used.key'));
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(60_000);
  await refused.promise;
  expect(errors[0]).toBeInstanceOf(ConfigError);
  expect(await ask(port, 'second')).toBe(200);
});

test('with a port of its own HTTPS is beside plain HTTP, and not there without a certificate', async () => {
  use('first');
  const app = new Hono().get('/', (c) => c.text('ok'));
  const files = { tlsCertFile: at('used.crt'), tlsKeyFile: at('used.key'), tlsPort: await freePort() };
  const place = { host: '127.0.0.1', port: 0 };
  const server = await serveBoth(app, { ...place, ...files });
  running.push(server);
  expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  expect(await ask(files.tlsPort, 'first')).toBe(200);
  await server.close(0);
  expect(await ask(files.tlsPort, 'first')).toBe('ECONNREFUSED');
  const without = serveBoth(app, { ...place, ...files, tlsCertFile: '', tlsKeyFile: '' });
  await expect(without).rejects.toThrow('WEIR_TLS_CERT_FILE is not set, and WEIR_TLS_PORT is');
});

test.each([
  ['one of the files alone', { tlsKeyFile: '' }, 'WEIR_TLS_KEY_FILE is not set'],
  ['a file that is not there', { tlsCertFile: '/nowhere' }, 'the file cannot be read (ENOENT)'],
])('does not start with %s', async (_, options, said) => {
  use('first');
  await expect(listen(options)).rejects.toThrow(said);
});

test("does not start with another certificate's key", async () => {
  use('first');
  await expect(listen({ tlsKeyFile: at('second.key') })).rejects.toThrow('not a certificate and its private key');
});
