import { once } from 'node:events';
import { createServer } from 'node:http';
import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { registrySchemaIds } from './registry-schema-ids.ts';

async function startReadOnly(status: number): Promise<{ url: string; methods: string[] }> {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    methods.push(`${request.method}`);
    const isLookup = request.method === 'POST' && /\/subjects\/[^/]+$/.test((request.url ?? '').split('?')[0] ?? '');
    response.writeHead(isLookup ? 404 : status, { 'content-type': 'application/json' }).end('{"error_code":40401,"message":"none"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, methods };
}

test.each([401, 403])('a service that may not register its schema is told who does (%i)', async (status) => {
  const { url, methods } = await startReadOnly(status);
  const registering = registrySchemaIds({ url }).register('reviews.resolved', '{"type":"string"}');
  await expect(registering).rejects.toMatchObject({
    code: 'REGISTRY_REFUSED',
    retriable: false,
    message: `the schema registry refused the credentials (HTTP ${status}); "weir topics apply", run by a user who may write, registers schemas`,
  });
  expect(methods).toEqual(['POST', 'PUT']);
});

test('a registry that is unavailable for a moment is asked again, with the credentials', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(seen.length < 3 ? 503 : 200, { 'content-type': 'application/json' }).end('{"id":7}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const ids = registrySchemaIds({ url, username: 'weir', password: 'ä:b' });
  expect(await ids.register('reviews.resolved', '{"type":"string"}')).toBe(7);
  expect(seen).toEqual(Array.from({ length: 3 }, () => `Basic ${Buffer.from('weir:ä:b').toString('base64')}`));
});

test('a redirect of the registry is not followed', async () => {
  const elsewhere = await startReadOnly(200);
  const server = createServer((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(
    registrySchemaIds({ url, username: 'weir', password: 'x' }).register('reviews.resolved', '{"type":"string"}'),
  ).rejects.toThrow();
  expect(elsewhere.methods).toEqual([]);
});

test('an error of a registry that closes the connection carries no credentials', async () => {
  const server = createServer((request) => request.socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const password = 'secret-of-the-registry';
  const registering = registrySchemaIds({ url, username: 'weir', password }).register('reviews.resolved', '{"type":"string"}');
  const error = await registering.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  const shown = inspect(error, { depth: Infinity, showHidden: true });
  expect(shown).not.toContain(password);
  expect(shown).not.toContain(Buffer.from(`weir:${password}`).toString('base64'));
});

test('without its client the installation is at fault, not the registry', async () => {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (!specifier.includes('@confluentinc/schemaregistry')) return next(specifier, context);
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
  onTestFinished(() => hooks.deregister());
  vi.resetModules();
  const fresh = await import('./registry-schema-ids.ts');
  await expect(fresh.registrySchemaIds({ url: 'http://127.0.0.1:1' }).find(1)).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    retriable: false,
    message: expect.stringMatching(/^Kafka needs .* run: npm install .* @confluentinc\/schemaregistry@/) as string,
  });
});
