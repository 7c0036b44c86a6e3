import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { imageOf } from '../support/stack/containers.ts';
import { type Part, variables } from '../support/stack/parts.ts';
import { startStack } from '../support/stack/stack.ts';
import { findCompose } from './engine/compose.ts';
import { type Engine, openEngine } from './engine/engine.ts';
import { endRunning } from './engine/run.ts';
import { type Provided, provideImages } from './images/images.ts';
import { placeVariable, projectRoot } from './stack/stack.ts';
import { basesOfOurs, boughtImages, type BringUpOptions, bringUp, buildOurs, takeDown } from './stack/up.ts';

type Undo = (() => Promise<unknown>)[];

/** Limit of the whole run; every step has its own. */
const limitMs = 37 * 60_000;
const testsLimitMs = 15 * 60_000;
const undoLimitMs = 3 * 60_000;
let at = 'the engine';

/** The part to test; absent: everything but the three brokers. */
const only = process.argv[2];
if (only !== undefined && only !== 'three-brokers') {
  say(`there is no part ${only}: name three-brokers, or none`);
  process.exit(2);
}

/**
 * `npm run test:containers`: tests docker-compose.yml, then runs behaviour suites on the test stack in containers. With `-- three-brokers` it
 * tests that profile instead. Removes everything afterwards. WEIR_CONTAINERS_FOLDER names a folder that keeps downloads and builds for the
 * next run.
 */
async function main(): Promise<void> {
  const kept = process.env['WEIR_CONTAINERS_FOLDER'];
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'weir-containers-'));
  const undo: Undo = kept === undefined ? [async () => rmSync(folder, { recursive: true, force: true })] : [];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step().catch((error: unknown) => say(String(error)));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void undoAll().finally(() => process.exit(130)));
  const late = delay(limitMs, undefined, { ref: false }).then((): never => {
    throw new Error(`not done after ${limitMs / 60_000} minutes; it was at: ${at}`);
  });
  try {
    await Promise.race([check(folder, undo), late]);
  } finally {
    endRunning();
    await Promise.race([undoAll(), delay(undoLimitMs, undefined, { ref: false })]);
  }
}

async function check(folder: string, undo: Undo): Promise<void> {
  const engine = await timed('engine', () => openEngine(join(folder, 'engine')));
  undo.push(() => engine.stop());
  const provide = (images: readonly string[]): Promise<Provided> => provideImages(engine, images, folder, say);
  const makeImages = async (): Promise<readonly Provided[]> => {
    const bases = await timed('base images', () => provide(basesOfOurs()));
    const rest = timed('bought images', () => provide([...boughtImages(), imageOf('registry')]));
    await Promise.all([rest, timed('our image', () => buildOurs(engine))]);
    return [bases, await rest];
  };
  // Side by side: one waits for the network while another computes.
  const [compose, provided] = await Promise.all([timed('compose', () => findCompose(folder)), makeImages()]);
  const images = { standIns: provided.flatMap(({ standIns }) => standIns), missing: provided.flatMap(({ missing }) => missing) };
  const common = { engine, compose, images, say };
  if (only === 'three-brokers') return checkStack(['three-brokers'], { ...common, ...threeBrokers }, undo);
  await checkStack(['--exclude', 'three-brokers/**'], common, undo);
  await checkTestStack(engine, undo);
}

/** The services that a deposit passes. */
const threeBrokers = {
  envFile: 'deploy/kafka/three-brokers.env',
  only: ['deposit-ingest', 'scoring', 'risk-api', 'decision', 'console'],
};

async function checkStack(tests: readonly string[], options: BringUpOptions, undo: Undo): Promise<void> {
  const stack = await timed('stack', () => bringUp(options));
  const down = (): Promise<void> => takeDown(stack);
  undo.push(down);
  if (options.only === undefined)
    for (const service of stack.place.absent) say(`${service}: not started, because no image here has its programs`);
  const place = { [placeVariable]: JSON.stringify(stack.place) };
  await timed('tests of the stack', () => vitest(['--config', 'test/containers/vitest.config.ts', ...tests], place));
  await timed('down', down);
  undo.splice(undo.indexOf(down), 1);
}

async function checkTestStack(engine: Engine, undo: Undo): Promise<void> {
  if (engine.host !== '') process.env.DOCKER_HOST = engine.host;
  // CI keeps the stack from pulling; the images are present.
  process.env.CI = 'true';
  const parts = Object.keys(variables) as Part[];
  for (const part of parts) delete process.env[variables[part]];
  const stack = await timed('stack for tests', () => startStack(parts));
  undo.push(() => stack.stop());
  const others = parts.filter((part) => stack.ways[part] !== 'container');
  if (others.length > 0) throw new Error(`not in containers: ${others.join(', ')}`);
  const suites = [
    'packages/platform/event-log/src/kafka/behaviour.kafka.test.ts',
    'packages/platform/rate-budget/src/redis/behaviour.redis.test.ts',
  ];
  await timed('behaviour suites', () => vitest(['--project', 'kafka', '--project', 'redis', ...suites], {}));
}

async function vitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const program = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [program, 'run', ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: testsLimitMs,
    killSignal: 'SIGKILL',
  });
  const how = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  if (how !== 0) throw new Error(`tests failed (${how}): vitest run ${args.join(' ')}`);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  at = what;
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
// Abandoned work may keep the event loop alive.
process.exit();
