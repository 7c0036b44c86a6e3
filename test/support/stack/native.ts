import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startTestServer } from '@weir/postgres/testing';
import { startKafka, unkilled } from './kafka.ts';
import { type Part, type Started, variables } from './parts.ts';
import { requireRedis, startRedis } from './redis.ts';
import { startRegistry } from './registry.ts';

const run = promisify(execFile);
const installLimitMs = 300_000;
/** Keeps the package from starting its server: tests start their own. */
const quietly = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

export async function startNative(part: Part): Promise<Started> {
  switch (part) {
    case 'kafka': {
      const kafka = await startKafka({ properties: unkilled });
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
      // An empty variable names no server.
      delete process.env[variables.postgres];
      const stop = await startTestServer();
      return { address: process.env[variables.postgres] ?? '', stop };
    }
  }
}

/** As root on Debian it installs the package if needed. */
export async function provideRedis(): Promise<void> {
  const missing = await requireRedis().catch((error: unknown) => error);
  if (missing === undefined) return;
  if (process.getuid?.() === 0) await installPackage('redis-server').catch(() => undefined);
  await requireRedis();
}

/** Of Debian. Only root may. */
export async function installPackage(name: string): Promise<void> {
  const options = { env: { ...process.env, ...quietly }, timeout: installLimitMs };
  // Another installation may be running on this machine.
  const apt = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
  await run('apt-get', [...apt, 'update'], options);
  await run('apt-get', [...apt, 'install', '-y', '--no-install-recommends', name], options);
}
