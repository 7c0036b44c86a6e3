import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort } from './ports.ts';
import { supervise } from './supervisor.ts';

export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
  /** Rejects for a server that was not started here. */
  kill(): Promise<void>;
  /** Keeps the address; the data is that of the append-only file, or empty. */
  restart(options: { keepData: boolean }): Promise<void>;
  flushAll(): Promise<void>;
}

export interface TestRedisOptions {
  /** Ignores `WEIR_TEST_REDIS_URL`, for a server to be killed or configured. */
  readonly own?: boolean;
  /** As `--maxmemory-policy allkeys-lru`. */
  readonly args?: readonly string[];
}

/** Uses `WEIR_TEST_REDIS_URL`, else starts `redis-server` with an append-only file. That server ends with the test. */
export async function startRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const given = process.env.WEIR_TEST_REDIS_URL ?? '';
  return given === '' || options.own === true ? startOwn(options.args ?? []) : external(given);
}

async function startOwn(args: readonly string[]): Promise<TestRedis> {
  await requireRedis();
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', ...args];
  const server = supervise({ name: 'Redis', folder, program: 'redis-server', args: settings, ready: () => answers(url) });
  let isRunning = false;
  const start = async (): Promise<void> => {
    await server.start();
    isRunning = true;
  };
  const kill = async (): Promise<void> => {
    if (isRunning) await server.kill();
    isRunning = false;
  };
  try {
    await start();
  } catch (error) {
    await server.remove();
    throw error;
  }
  return {
    url,
    kill,
    restart: async ({ keepData }) => {
      await kill();
      if (!keepData) rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
      await start();
    },
    flushAll: async () => void (await flushAll(url)),
    stop: () => server.remove(),
  };
}

function external(url: string): TestRedis {
  const refuse = async (): Promise<void> => {
    throw new Error('the Redis of WEIR_TEST_REDIS_URL is not ours to end: ask for one of your own');
  };
  return { url, kill: refuse, restart: refuse, flushAll: async () => void (await flushAll(url)), stop: async () => undefined };
}

/** The error names the package to install. */
export async function requireRedis(): Promise<void> {
  try {
    await promisify(execFile)('redis-server', ['--version']);
  } catch (cause) {
    const message = 'redis-server cannot be run: install the Debian package redis-server';
    throw new Error(message, { cause });
  }
}

/** False until Redis has loaded its data. */
function answers(url: string): Promise<boolean> {
  return withClient(url, (redis) => redis.ping()).then(
    () => true,
    () => false,
  );
}

function flushAll(url: string): Promise<string> {
  return withClient(url, (redis) => redis.flushall());
}

async function withClient<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2_000, commandTimeout: 10_000 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
