import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { loadPolicy } from '@weir/policy';
import { checkEmbeddedPostgres } from '@weir/postgres';
import { ListenError, serve } from '@weir/service-kit';
import { lineOf } from '../failure.ts';
import { findPermitKeySecret, findRunning, holdsDatabase, permitKeySecretFile, readCredentials } from '@weir/installation';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';

const mebibyte = 1024 * 1024;
/** Enough for some time. */
const goodFreeMb = 2_000;

/** Checks that need no database. */
export async function examineMachine(settings: AllSettings): Promise<Finding[]> {
  return [
    ok('node', `${process.versions.node} at ${process.execPath}`),
    await dataFolder(settings),
    ...secretFile('credentials', join(settings.dataDir, 'dev-credentials.json'), readCredentials),
    ...secretFile('permit key secret', join(settings.dataDir, permitKeySecretFile), () => findPermitKeySecret(settings.dataDir)),
    diskSpace(settings.dataDir),
    await portFinding('port', settings.host, settings.port, settings.dataDir),
    await portFinding('risk API port', settings.host, settings.port === 0 ? 0 : settings.port + 100, settings.dataDir),
    policyFile(settings.policyFile),
  ];
}

async function dataFolder({ dataDir, databaseUrl }: AllSettings): Promise<Finding> {
  const where = resolve(dataDir);
  try {
    if (databaseUrl === '') await checkEmbeddedPostgres(dataDir);
  } catch (error) {
    return wrong('data folder', lineOf(error));
  }
  if (!existsSync(dataDir)) return remark('data folder', `${where} does not exist yet; the first start creates it`);
  const running = findRunning(dataDir);
  const state =
    running === undefined ? 'not running' : `running as process ${running.pid}: pipeline ${running.url}, risk API ${running.riskUrl}`;
  if (!holdsDatabase(dataDir)) return remark('data folder', `${where} holds no database of its own; ${state}`);
  const format = readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8').trim();
  return ok('data folder', `${where}, format PostgreSQL ${format}; ${state}`);
}

/** A secret file must not be readable by others of this machine. One that cannot be read stops the start. */
function secretFile(check: string, file: string, read: (file: string) => unknown): Finding[] {
  if (!existsSync(file)) return [];
  try {
    read(file);
  } catch (error) {
    return [wrong(check, lineOf(error))];
  }
  if (process.platform === 'win32') return [];
  const mode = statSync(file).mode & 0o777;
  const isOpen = (mode & 0o077) !== 0;
  return [
    isOpen
      ? wrong(check, `${file} can be read by others (mode ${mode.toString(8)}); chmod 600 mends it`)
      : ok(check, `${basename(file)} is readable by its owner alone`),
  ];
}

function diskSpace(dataDir: string): Finding {
  let folder = resolve(dataDir);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const freeMb = Math.floor((bavail * bsize) / mebibyte);
  const said = `${freeMb.toLocaleString('en')} MB free`;
  return freeMb < goodFreeMb ? remark('disk', `${said}; that is little`) : ok('disk', said);
}

async function portFinding(check: string, host: string, number: number, dataDir: string): Promise<Finding> {
  if (number === 0) return ok(check, 'any free port');
  const refused = await tryToListen(host, number);
  if (refused === undefined) return ok(check, `${number} is free`);
  const running = findRunning(dataDir);
  const isOurs = running !== undefined && [running.url, running.riskUrl].some((url) => new URL(url).port === String(number));
  if (refused instanceof ListenError && refused.code === 'PORT_IN_USE')
    return isOurs
      ? ok(check, `${number} is used by this Weir`)
      : wrong(check, `${number} is used by another program; set WEIR_PORT or --port`);
  return wrong(check, lineOf(refused));
}

/** As the start does. */
async function tryToListen(host: string, port: number): Promise<unknown> {
  try {
    const server = await serve({ fetch: () => new Response() }, { host, port });
    await server.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

function policyFile(path: string): Finding {
  try {
    return ok('policy', `${path === '' ? 'default' : path}, hash ${loadPolicy(path).hash.slice(0, 12)}`);
  } catch (error) {
    return wrong('policy', (error as Error).message);
  }
}
