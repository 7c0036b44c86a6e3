import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logTierVariables } from '../stack/log-tier.ts';
import { findCompose } from './engine/compose.ts';
import { openEngine } from './engine/engine.ts';
import { type KafkaImage, startKafkaContainer } from './log/kafka-container.ts';
import { placeVariable, projectRoot, type Stack } from './stack/stack.ts';
import { bringUp, takeDown } from './stack/up.ts';

/**
 * `npm run test:containers`: brings docker-compose.yml up for real and tests it, then runs the behaviour suite of the log on the Kafka of that
 * file. Nothing of it stays. WEIR_CONTAINERS_FOLDER names a folder for what is fetched and built, to be kept for the next run.
 */
async function main(): Promise<void> {
  const kept = process.env['WEIR_CONTAINERS_FOLDER'];
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'weir-containers-'));
  const undo: (() => Promise<unknown>)[] = kept === undefined ? [async () => rmSync(folder, { recursive: true, force: true })] : [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step().catch((error: unknown) => say(String(error)));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void undoAll().finally(() => process.exit(130)));
  try {
    await check(folder, undo);
  } finally {
    await undoAll();
  }
}

async function check(folder: string, undo: (() => Promise<unknown>)[]): Promise<void> {
  const engine = await timed('engine', () => openEngine(join(folder, 'engine')));
  undo.push(() => engine.stop());
  const compose = await timed('compose', () => findCompose(folder));
  const stack = await timed('images and stack', () => bringUp(engine, compose, folder, say));
  const down = (): Promise<void> => takeDown(stack);
  undo.push(down);
  for (const service of stack.place.absent) say(`${service}: not started, its image can be neither pulled nor built here`);
  await timed('tests of the stack', () =>
    vitest(['--config', 'test/containers/vitest.config.ts'], { [placeVariable]: JSON.stringify(stack.place) }),
  );

  const kafka = await kafkaImage(stack);
  await timed('down', down);
  undo.splice(undo.indexOf(down), 1);
  Object.assign(process.env, testcontainersSettings(engine.host));
  const broker = await timed('kafka through testcontainers', () => startKafkaContainer(kafka));
  undo.push(() => broker.stop());
  const suite = ['--project', 'kafka', 'packages/event-log/src/kafka/behaviour.kafka.test.ts'];
  // The suite has no use for a registry; a broker's address alone would start one.
  const tier = { [logTierVariables.brokers]: broker.brokers, [logTierVariables.registry]: 'http://127.0.0.1:9' };
  await timed('behaviour of the log', () => vitest(suite, tier));
}

async function kafkaImage(stack: Stack): Promise<KafkaImage> {
  const kafka = (await stack.services())['kafka'];
  if (kafka === undefined) throw new Error('docker-compose.yml has no kafka');
  const environment = Object.entries(kafka.environment ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return { image: kafka.image, environment: Object.fromEntries(environment) };
}

/** Testcontainers' own sweeper is an image to be pulled; in an engine of our own there is nothing to sweep, it goes as a whole. */
function testcontainersSettings(host: string): NodeJS.ProcessEnv {
  return host === '' ? {} : { DOCKER_HOST: host, TESTCONTAINERS_RYUK_DISABLED: 'true' };
}

function vitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const program = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [program, 'run', ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`tests failed: vitest run ${args.join(' ')}`))));
  });
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return result;
}

function say(line: string): void {
  process.stdout.write(`containers: ${line}\n`);
}

await main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
