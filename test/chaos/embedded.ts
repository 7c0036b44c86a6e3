import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { connectToRunning } from '@weir/postgres';
import { createLogger, type OpenPipeline, openPipeline } from '@weir/service-kit';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { clockFlags } from '../support/stack/replica.ts';
import { type Deployment, type Part, perDay, perSecond, settingsOf } from './deployment.ts';
import { switchOf } from './switch.ts';
import { ChaosUpstream } from './upstream.ts';

/** Weir exits without its database, so undoing a kill of PostgreSQL restarts both. */
export async function startEmbeddedDeployment(options: { logs?: string | undefined } = {}): Promise<Deployment> {
  const upstream = await ChaosUpstream.start(perSecond);
  const env = settingsOf(upstream);
  const installation = await makeInstallation({ env, node: clockFlags });
  // All faults share one switch: Weir stays down until the last of them is over.
  let how: () => Promise<void> = () => installation.kill('weir');
  const takeDown = switchOf(
    () => how(),
    () => installation.start(),
  );
  const down = (next: () => Promise<void>): ReturnType<typeof takeDown> => {
    how = next;
    return takeDown();
  };
  const kill = (part: Part): ReturnType<typeof takeDown> =>
    down(() => installation.kill(part === 'postgres' || part === 'broker' || part === 'redis' ? 'postgres' : 'weir'));
  const close = async (): Promise<void> => {
    if (options.logs !== undefined) appendFileSync(join(options.logs, 'weir.log'), installation.output());
    await installation.remove();
    await upstream.close();
  };
  try {
    await installation.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    tier: 'embedded',
    upstream,
    ingest: () => [installation.url],
    token: () => installation.token('ingest'),
    auditDir: installation.dataDir,
    open: () => openRunning(installation),
    kill,
    leave: () => down(() => installation.end()),
    flushRedis: async () => (await kill('redis'))(),
    replaceRedis: () => kill('redis'),
    registryAway: () => kill('postgres'),
    setClock: async (_which, clockMs) => {
      await installation.setClock(clockMs);
      return () => installation.setClock(0);
    },
    setPerDay: async (limit) => {
      const undo = await kill('scoring');
      env['WEIR_UPSTREAM_PER_DAY'] = String(limit ?? perDay);
      await undo();
    },
    ended: () => ({}),
    output: () => installation.output().slice(-5_000),
    close,
  };
}

const openLimitMs = 240_000;

/** PostgreSQL has another port after each start. */
export async function openRunning({ dataDir }: Pick<Installation, 'dataDir'>): Promise<OpenPipeline> {
  const logger = createLogger({ service: 'checker', level: 'silent' });
  const end = performance.now() + openLimitMs;
  for (;;) {
    try {
      const databaseUrl = connectToRunning(dataDir);
      if (databaseUrl === undefined) throw new Error('PostgreSQL does not run');
      return await openPipeline({ databaseUrl, clock: systemClock, logger, poolSize: 3, retentionMs: 86_400_000 });
    } catch (error) {
      if (performance.now() > end) throw error;
      await systemClock.sleep(100);
    }
  }
}
