import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { loadPolicy } from '@weir/policy';
import { holdsDatabase } from '../installation.ts';
import type { AllSettings } from '../settings.ts';
import { findRunning } from '../start/running.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';

const mebibyte = 1024 * 1024;
/** What the start asks for, and what lasts for a while. */
const leastFreeMb = 200;
const goodFreeMb = 2_000;

/** What can be looked at without the database. */
export async function examineMachine(settings: AllSettings): Promise<Finding[]> {
  return [
    ok('node', `${process.versions.node} at ${process.execPath}`),
    dataFolder(settings.dataDir),
    ...credentials(settings.dataDir),
    diskSpace(settings.dataDir),
    await port('port', settings.host, settings.port, settings.dataDir),
    await port('risk API port', settings.host, settings.port === 0 ? 0 : settings.port + 100, settings.dataDir),
    policyFile(settings.policyFile),
    upstream(settings),
  ];
}

function dataFolder(dataDir: string): Finding {
  const where = resolve(dataDir);
  if (!existsSync(dataDir)) return remark('data folder', `${where} is not there yet; the first start makes it`);
  if (!statSync(dataDir).isDirectory()) return wrong('data folder', `${where} is not a folder`);
  const running = findRunning(dataDir);
  const state =
    running === undefined ? 'not running' : `running as process ${running.pid}: pipeline ${running.url}, risk API ${running.riskUrl}`;
  if (!holdsDatabase(dataDir)) return remark('data folder', `${where} holds no database of its own; ${state}`);
  const format = readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8').trim();
  return ok('data folder', `${where}, format PostgreSQL ${format}; ${state}`);
}

/** Tokens that others of this machine can read are no secret. */
function credentials(dataDir: string): Finding[] {
  const file = join(dataDir, 'dev-credentials.json');
  if (!existsSync(file) || process.platform === 'win32') return [];
  const mode = statSync(file).mode & 0o777;
  const isOpen = (mode & 0o077) !== 0;
  return [
    isOpen
      ? wrong('credentials', `${file} can be read by others (mode ${mode.toString(8)}); chmod 600 mends it`)
      : ok('credentials', 'dev-credentials.json is readable by its owner alone'),
  ];
}

function diskSpace(dataDir: string): Finding {
  let folder = resolve(dataDir);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const freeMb = Math.floor((bavail * bsize) / mebibyte);
  const said = `${freeMb.toLocaleString('en')} MB free`;
  if (freeMb < leastFreeMb) return wrong('disk', `${said}; Weir does not start with less than ${leastFreeMb} MB`);
  return freeMb < goodFreeMb ? remark('disk', `${said}; that will not last long`) : ok('disk', said);
}

async function port(check: string, host: string, number: number, dataDir: string): Promise<Finding> {
  if (number === 0) return ok(check, 'any that is free');
  const code = await tryToListen(host, number);
  if (code === undefined) return ok(check, `${number} is free`);
  const running = findRunning(dataDir);
  const isOurs = running !== undefined && [running.url, running.riskUrl].some((url) => new URL(url).port === String(number));
  if (code === 'EADDRINUSE')
    return isOurs
      ? ok(check, `${number} is used by this Weir`)
      : wrong(check, `${number} is used by another program; set WEIR_PORT or --port`);
  return wrong(check, `cannot listen on ${host}:${number}: ${code}`);
}

function tryToListen(host: string, number: number): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'failed'));
    server.listen(number, host, () => server.close(() => done(undefined)));
  });
}

function policyFile(path: string): Finding {
  try {
    return ok('policy', `${path === '' ? 'default' : path}, hash ${loadPolicy(path).hash.slice(0, 12)}`);
  } catch (error) {
    return wrong('policy', (error as Error).message);
  }
}

function upstream({ upstreamUrl, upstreamApiKey }: AllSettings): Finding {
  if (upstreamUrl === '') return ok('risk API', 'our own');
  const { host } = new URL(upstreamUrl);
  return upstreamApiKey === '' ? wrong('risk API', `${host}, and WEIR_UPSTREAM_API_KEY is not set`) : ok('risk API', host);
}
