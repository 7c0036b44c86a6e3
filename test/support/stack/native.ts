import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startTestServer } from '@weir/postgres/testing';
import { startKafka } from './kafka.ts';
import { type Part, type Started, variables } from './parts.ts';
import { requireRedis, startRedis } from './redis.ts';
import { startRegistry } from './registry.ts';

const run = promisify(execFile);
const installLimitMs = 300_000;
/** The package's server must not start by itself: tests start their own. */
const quietly = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

/** Starts the part as a process of this machine: from Maven Central, from the system's packages, from npm. What cannot be had fails with a line that says why. */
export async function startNative(part: Part): Promise<Started> {
  switch (part) {
    case 'kafka': {
      const kafka = await startKafka();
      return { address: kafka.brokers, stop: () => kafka.stop() };
    }
    case 'registry': {
      const registry = await startRegistry();
      return { address: registry.url, stop: () => registry.stop() };
    }
    case 'redis': {
      await provideRedis();
      const redis = await startRedis({ own: true });
      return { address: redis.url, stop: () => redis.stop() };
    }
    case 'postgres': {
      // An empty one is none.
      delete process.env[variables.postgres];
      const stop = await startTestServer();
      return { address: process.env[variables.postgres] ?? '', stop };
    }
  }
}

/** Makes sure that `redis-server` can be run: it is installed, or, for root on Debian, it is installed now. */
export async function provideRedis(): Promise<void> {
  const missing = await requireRedis().catch((error: unknown) => error);
  if (missing === undefined) return;
  if (process.getuid?.() === 0) await install().catch(() => undefined);
  await requireRedis();
}

async function install(): Promise<void> {
  const options = { env: { ...process.env, ...quietly }, timeout: installLimitMs };
  // Another installation may be under way on this machine.
  const apt = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
  await run('apt-get', [...apt, 'update'], options);
  await run('apt-get', [...apt, 'install', '-y', '--no-install-recommends', 'redis-server'], options);
}
