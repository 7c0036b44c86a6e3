import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installPackage } from './native.ts';
import { freePort } from './ports.ts';

const startLimitMs = 60_000;
/** Prometheus takes new targets each five seconds. */
const discoveryLimitMs = 60_000;
const stopLimitMs = 10_000;

export interface Prometheus {
  /** The data of an answer of `/api/v1/`; rejects with its error. */
  ask<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T>;
  /** Scrapes one more target, whatever its certificate. Resolves once it was scraped, with what ends that: resolves once it is forgotten. */
  watch(target: Target): Promise<() => Promise<void>>;
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
  const watched = new Set<Target>();
  const writeWatched = (): void => {
    const file = join(folder, 'watched.json');
    writeFileSync(`${file}.new`, JSON.stringify([...watched].map(groupOf)));
    renameSync(`${file}.new`, file);
  };
  writeWatched();
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ruleFile],
    scrape_configs: [
      {
        job_name: 'weir',
        static_configs: targets.map(groupOf),
        file_sd_configs: [{ files: [join(folder, 'watched.json')] }],
        tls_config: { insecure_skip_verify: true },
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
  const ask: Prometheus['ask'] = async (path, query = {}) => {
    const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query).toString()}`, {
      signal: AbortSignal.timeout(15_000),
    });
    const answer = (await response.json()) as { status: string; error?: string; data: never };
    if (answer.status !== 'success') throw new Error(`Prometheus refuses ${query['query'] ?? path}: ${answer.error}`);
    return answer.data;
  };
  const untilHealth = async (target: Target, isHealth: (health: string | undefined) => boolean): Promise<void> => {
    const limit = performance.now() + discoveryLimitMs;
    for (;;) {
      const { activeTargets } = await ask<{ activeTargets: readonly { scrapeUrl: string; health: string; lastError: string }[] }>(
        'targets',
      );
      const found = activeTargets.find(({ scrapeUrl }) => scrapeUrl.startsWith(`${target.url}/`));
      if (isHealth(found?.health)) return;
      if (performance.now() > limit) throw new Error(`Prometheus has ${target.url} as ${found?.health}: ${found?.lastError}`);
      await delay(50);
    }
  };
  return {
    stop,
    ask,
    watch: async (target) => {
      watched.add(target);
      writeWatched();
      await untilHealth(target, (health) => health === 'up');
      return async () => {
        watched.delete(target);
        writeWatched();
        await untilHealth(target, (health) => health === undefined);
      };
    },
  };
}

/** As in the configuration and in files of targets. */
function groupOf({ url, service }: Target): { targets: string[]; labels: Record<string, string> } {
  const { host, protocol } = new URL(url);
  return { targets: [host], labels: { __scheme__: protocol.replace(':', ''), ...(service === undefined ? {} : { service }) } };
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
