import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installPackage } from './native.ts';
import { freePort } from './ports.ts';

const startLimitMs = 60_000;
const stopLimitMs = 10_000;

export interface Prometheus {
  /** The data of an answer of `/api/v1/`; rejects with its error. */
  ask<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T>;
  stop(): Promise<void>;
}

/** A server with metrics, and the `service` that its series are labelled with, if any. */
export interface Target {
  readonly url: string;
  readonly service?: string;
}

/** Prometheus of Debian, which scrapes the targets each second and evaluates the rules. As root it installs the package if needed. */
export async function startPrometheus(targets: readonly Target[], ruleFile: string): Promise<Prometheus> {
  const isThere = (): Promise<unknown> => promisify(execFile)('prometheus', ['--version']);
  await isThere().catch(() => installPackage('prometheus').then(isThere));
  const folder = mkdtempSync(join(tmpdir(), 'weir-prometheus-'));
  const port = await freePort();
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ruleFile],
    scrape_configs: [
      {
        job_name: 'weir',
        static_configs: targets.map(({ url, service }) => ({
          targets: [new URL(url).host],
          ...(service === undefined ? {} : { labels: { service } }),
        })),
      },
    ],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn('prometheus', args, { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    await end(child, ended);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + startLimitMs;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > until) {
      await stop();
      throw new Error('Prometheus did not start');
    }
    await delay(50);
  }
  return {
    stop,
    ask: async (path, query = {}) => {
      const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query).toString()}`, {
        signal: AbortSignal.timeout(15_000),
      });
      const answer = (await response.json()) as { status: string; error?: string; data: never };
      if (answer.status !== 'success') throw new Error(`Prometheus refuses ${query['query'] ?? path}: ${answer.error}`);
      return answer.data;
    },
  };
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  if ((await Promise.race([ended.then(() => 'ended'), delay(stopLimitMs)])) === 'ended') return;
  child.kill('SIGKILL');
  await ended;
}
