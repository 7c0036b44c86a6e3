import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type RunOptions, run, works } from './run.ts';

export interface Engine {
  /** Empty for the default of `docker`. */
  readonly host: string;
  /** Started by this run, so nobody else uses it. */
  readonly isOwn: boolean;
  docker(args: readonly string[], options?: RunOptions): Promise<string>;
  stop(): Promise<void>;
}

const packages = ['docker.io', 'iptables', 'debootstrap'];

/** The engine of this machine. In CI, as root on Debian, installs and starts one for this run, with its data in `folder`. */
export async function openEngine(folder: string): Promise<Engine> {
  if (await works('docker', ['info'])) return { host: '', isOwn: false, docker: dockerOf(''), stop: async () => undefined };
  const mayInstall = process.env['CI'] !== undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!mayInstall) {
    throw new Error('no Docker engine answers `docker info`; start one, or let CI=true as root on Debian install one for the run');
  }
  await install();
  return startOwn(folder);
}

async function install(): Promise<void> {
  if ((await works('dockerd', ['--version'])) && (await works('debootstrap', ['--version'])) && (await works('iptables', ['--version'])))
    return;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  // Another installation may be running on this machine.
  const apt = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  await run('apt-get', [...apt, 'update'], { env, limitMs: 300_000 });
  await run('apt-get', [...apt, 'install', '-y', '--no-install-recommends', ...packages], { env, limitMs: 600_000 });
}

const startLimitMs = 120_000;
const stopLimitMs = 60_000;

async function startOwn(folder: string): Promise<Engine> {
  mkdirSync(folder, { recursive: true });
  const host = `unix://${join(folder, 'docker.sock')}`;
  const args = ['--host', host, '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')];
  // The pipe closes when this process ends, even by a kill, and ends the engine.
  const script = 'dockerd "$@" >"$LOG" 2>&1 </dev/null & pid=$!; read -r _; kill -TERM $pid 2>/dev/null; wait $pid';
  const log = join(folder, 'log');
  const keeper = spawn('bash', ['-c', script, 'bash', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, LOG: log },
    detached: true,
  });
  // The engine may have exited already.
  keeper.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => keeper.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    keeper.stdin.end('\n');
    if ((await Promise.race([ended, delay(stopLimitMs, 'late', { ref: false })])) === 'late')
      throw new Error('dockerd did not end in time');
  };
  const docker = dockerOf(host);
  const end = performance.now() + startLimitMs;
  while (!(await works('docker', ['info'], { env: { DOCKER_HOST: host } }))) {
    if (performance.now() > end) {
      await stop();
      throw new Error(`dockerd does not answer:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
    }
    await delay(250);
  }
  return { host, isOwn: true, docker, stop };
}

function dockerOf(host: string): Engine['docker'] {
  return (args, options = {}) =>
    run('docker', args, { ...options, env: { ...(host === '' ? {} : { DOCKER_HOST: host }), ...options.env } });
}
