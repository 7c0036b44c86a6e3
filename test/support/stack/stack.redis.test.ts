import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { variables } from './parts.ts';
import { startStack } from './stack.ts';

const asked: string[] = [];

/** Imitates the engine's API; test/containers starts real containers. */
async function engine(answer: RequestListener): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-engine-'));
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  const socket = join(folder, 'docker.sock');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  vi.stubEnv('DOCKER_HOST', `unix://${socket}`);
}

const ping = async (url: string): Promise<string> => {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.ping();
  } finally {
    redis.disconnect();
  }
};

beforeEach(() => {
  asked.length = 0;
  vi.stubEnv(variables.redis, '');
  vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock');
});
afterEach(() => vi.unstubAllEnvs());

test('what the environment names is taken as it is, and no engine is looked for', async () => {
  await engine((_, response) => response.writeHead(200).end());
  vi.stubEnv(variables.redis, 'redis://elsewhere:1');
  const stack = await startStack(['redis', 'postgres']);
  expect(stack.addresses).toEqual({ redis: 'redis://elsewhere:1', postgres: process.env[variables.postgres] });
  expect(stack.ways).toEqual({ redis: 'environment', postgres: 'environment' });
  await stack.stop();
  expect(process.env[variables.redis]).toBe('redis://elsewhere:1');
  expect(asked).toEqual([]);
});

test('without an engine a process of this machine is started, told of by its variable, and ended', async () => {
  const stack = await startStack(['redis']);
  expect(stack.ways).toEqual({ redis: 'native' });
  expect(process.env[variables.redis]).toBe(stack.addresses.redis);
  expect(await ping(stack.addresses.redis)).toBe('PONG');
  await stack.stop();
  expect(process.env[variables.redis]).toBeUndefined();
  await expect(ping(stack.addresses.redis)).rejects.toThrow();
});

test('an engine that hangs is not waited for', async () => {
  await engine(() => undefined);
  const stack = await startStack(['redis']);
  expect(stack.ways).toEqual({ redis: 'native' });
  await stack.stop();
});

test('in CI nothing is pulled: without the image it is a process of this machine', async () => {
  await engine((request, response) => response.writeHead(request.url === '/_ping' ? 200 : 404).end());
  vi.stubEnv('CI', 'true');
  const stack = await startStack(['redis']);
  expect(stack.ways).toEqual({ redis: 'native' });
  expect(asked).toEqual(['GET /_ping', expect.stringMatching(/^GET \/images\/redis:[\d.]+-bookworm\/json$/)]);
  await stack.stop();
});

test('elsewhere the image is asked for, and when it cannot be had it is a process of this machine, too', async () => {
  await engine((request, response) => response.writeHead(request.url === '/_ping' ? 200 : 404).end());
  vi.stubEnv('CI', '');
  const stack = await startStack(['redis']);
  expect(stack.ways).toEqual({ redis: 'native' });
  expect(asked.filter((each) => each.startsWith('POST'))).toEqual([expect.stringMatching(/^POST \/images\/create\?fromImage=redis&tag=7/)]);
  await stack.stop();
});

test('what can be had in no way is a failure that says what to do', async () => {
  vi.stubEnv('PATH', '/nowhere');
  await expect(startStack(['postgres', 'redis'])).rejects.toThrow('redis-server cannot be run: install the Debian package redis-server');
  expect(process.env[variables.redis]).toBe('');
});
