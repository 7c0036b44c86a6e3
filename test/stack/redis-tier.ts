import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { requireRedis } from './redis.ts';

const run = promisify(execFile);
const installLimitMs = 300_000;
/** The package's server must not start by itself: tests start their own. */
const quietly = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

/** Makes sure that there is a Redis to test with: that of the environment, an installed one, or, for root on Debian, one that is installed now. */
export default async function setup(): Promise<void> {
  if ((process.env.WEIR_TEST_REDIS_URL ?? '') !== '') return;
  const missing = await requireRedis().catch((error: unknown) => error);
  if (missing !== undefined && process.getuid?.() === 0) await install().catch(() => undefined);
  await requireRedis();
}

async function install(): Promise<void> {
  const options = { env: { ...process.env, ...quietly }, timeout: installLimitMs };
  await run('apt-get', ['update', '-q'], options);
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'redis-server'], options);
}
