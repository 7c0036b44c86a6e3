import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/stack/ports.ts';
import { type Supervised, supervise } from '../support/stack/supervisor.ts';

const today = join(import.meta.dirname, '..', '..');

/** One replica of a service in its own process, which ends with the test. */
export interface Replica extends Omit<Supervised, 'start'> {
  readonly url: string;
  /** The metric's sum over all labels since the start. */
  count(metric: string): Promise<number>;
}

/** Starts `services/<name>/src/main.ts` and waits until it is ready. `root`: the checkout to run. */
export async function startReplica(name: string, env: NodeJS.ProcessEnv, root = today): Promise<Replica> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const supervised = supervise({
    name,
    folder: mkdtempSync(join(tmpdir(), `weir-${name}-`)),
    program: process.execPath,
    args: [join(root, 'services', name, 'src', 'main.ts')],
    env: { ...env, NODE_ENV: 'production', WEIR_PORT: String(port), WEIR_LOG_LEVEL: 'warn' },
    ready: () => answers(`${url}/readyz`),
  });
  try {
    await supervised.start();
  } catch (error) {
    await supervised.remove();
    throw error;
  }
  return { ...supervised, url, count: (metric) => count(url, metric) };
}

function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function count(url: string, metric: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) })).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
