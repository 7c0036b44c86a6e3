import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/stack/ports.ts';

export interface ServiceProcess {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Samples of `/metrics`, by name with labels. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..', '..');
const readyLimitMs = 180_000;
const stopLimitMs = 20_000;

/** `program`: its path; default: a service's own. */
export async function startProcess(
  service: string,
  env: Readonly<Record<string, string>>,
  { name = service, program = `services/${service}/src/main.ts` }: { name?: string; program?: string } = {},
): Promise<ServiceProcess> {
  const port = await freePort();
  // As in the image. For profiles: WEIR_BENCH_NODE_FLAGS='--cpu-prof --cpu-prof-dir=/tmp/profiles'.
  const flags = ['--max-semi-space-size=4', ...(process.env['WEIR_BENCH_NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '')];
  const child = spawn(process.execPath, [...flags, join(root, program)], {
    env: { ...process.env, ...env, WEIR_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(name, url, child);
  return {
    name,
    url,
    pid: child.pid ?? 0,
    metrics: () => metricsOf(url),
    stop: async () => {
      child.kill('SIGTERM');
      const late = delay(stopLimitMs, 'late', { ref: false });
      if ((await Promise.race([ended(child), late])) === 'late') end();
      await ended(child);
      process.off('exit', end);
    },
  };
}

async function untilReady(name: string, url: string, child: ChildProcess): Promise<void> {
  const end = performance.now() + readyLimitMs;
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode} while it started`);
    const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    await delay(50);
  }
  throw new Error(`${name} was not ready in ${readyLimitMs / 1_000} s`);
}

export async function metricsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
  });
}
