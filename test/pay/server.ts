import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/stack/ports.ts';
import { supervise } from '../support/stack/supervisor.ts';

/** The risk service in its own process, which ends with the test. */
export interface PayServer {
  readonly url: string;
  /** Sends SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
  remove(): Promise<void>;
  output(): string;
}

const main = join(import.meta.dirname, '..', '..', 'services', 'risk-api', 'src', 'main.ts');

export async function startServer(env: Readonly<Record<string, string>>): Promise<PayServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = Object.entries({ ...env, WEIR_PORT: String(port) }).map(([name, value]) => `${name}=${value}`);
  const supervised = supervise({
    name: 'risk-api',
    folder: mkdtempSync(join(tmpdir(), 'weir-pay-')),
    program: '/usr/bin/env',
    args: [...settings, process.execPath, main],
    ready: () => isReady(url),
  });
  try {
    await supervised.start();
  } catch (error) {
    await supervised.remove();
    throw error;
  }
  return {
    url,
    kill: () => supervised.kill(),
    restart: () => supervised.start(),
    remove: () => supervised.remove(),
    output: () => supervised.output(),
  };
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
