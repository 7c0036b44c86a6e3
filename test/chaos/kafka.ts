import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { baseSchema, createLogger, kafkaTier, loadConfig, type OpenPipeline, openPipeline, storeToken } from '@weir/service-kit';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { type Deployment, type DeploymentOptions, perDay, services } from './deployment.ts';
import type { Replica } from '../support/stack/replica.ts';
import { Fleet } from './fleet.ts';
import { startKafkaParts, untilDone } from './kafka-parts.ts';

/** For the samples of a soak. */
export interface KafkaDeployment extends Deployment {
  readonly env: NodeJS.ProcessEnv;
  readonly brokerData: string;
  replicas(): readonly Replica[];
}

export async function startKafkaDeployment(options: DeploymentOptions = {}): Promise<KafkaDeployment> {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).toReversed()) await step().catch(() => undefined);
  };
  try {
    return await assemble(options, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function assemble(
  options: DeploymentOptions,
  closing: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<KafkaDeployment> {
  const { env, kill, ...parts } = await startKafkaParts(closing, options);
  const auditDir = mkdtempSync(join(tmpdir(), 'weir-chaos-audit-'));
  closing.push(async () => rmSync(auditDir, { recursive: true }));
  env['WEIR_AUDIT_DIR'] = auditDir;
  const applied = await weir(['topics', 'apply'], { env });
  if (applied.code !== 0) throw new Error(`weir topics apply ended with ${applied.code}: ${applied.stderr}`);
  const token = await makeToken(env);
  const fleet = await Fleet.make(env, { logs: options.logs, isComposed: options.isComposed === true });
  closing.push(async () => {
    await fleet.end(services, 'both', 'SIGTERM');
  });
  await fleet.start();
  return {
    tier: 'kafka',
    ...parts,
    env,
    replicas: () => fleet.chosen(services, 'both'),
    ingest: () => fleet.chosen(['deposit-ingest'], 'both').map(({ url }) => url),
    token: () => token,
    auditDir,
    open: () => openOn(env),
    kill: (part, which) =>
      part === 'postgres' || part === 'broker' || part === 'redis' ? kill[part]() : fleet.end([part], which, 'SIGKILL'),
    leave: (which) => fleet.end(services, which, 'SIGTERM'),
    setClock: (which, clockMs) => fleet.setClock(which, clockMs),
    setPerDay: async (limit) => {
      const back = await fleet.end(['scoring'], 'both', 'SIGKILL');
      env['WEIR_UPSTREAM_PER_DAY'] = String(limit ?? perDay);
      await back();
    },
    ended: () => fleet.ended(),
    output: () => fleet.output(),
    close,
  };
}

async function makeToken(env: NodeJS.ProcessEnv): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const pipeline = await openOn(env);
  try {
    await storeToken(pipeline.pool, token, 'ingest', 'chaos');
  } finally {
    await pipeline.close();
  }
  return token;
}

const openLimitMs = 240_000;

export async function openOn(env: NodeJS.ProcessEnv): Promise<OpenPipeline> {
  const settings = loadConfig(baseSchema, env);
  const logger = createLogger({ service: 'checker', level: 'silent' });
  const options = { databaseUrl: settings.databaseUrl, tier: kafkaTier(settings), clock: systemClock, logger, poolSize: 3 };
  return untilDone(() => openPipeline({ ...options, retentionMs: 86_400_000 }), openLimitMs);
}
