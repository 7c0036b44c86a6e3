import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBinaries } from '../../../packages/platform/postgres/src/binaries.ts';
import { addressOf } from '../../../packages/platform/postgres/src/data-folder.ts';
import { chooseIdentity } from '../../../packages/platform/postgres/src/identity.ts';
import { initialise } from '../../../packages/platform/postgres/src/initialise.ts';
import { freePort, isListening } from './ports.ts';
import { supervise } from './supervisor.ts';

/** For services in their own processes: it takes many connections and keeps its address. */
export interface TestPostgres {
  readonly url: string;
  /** SIGKILL to the postmaster; its sessions end with it. */
  kill(): Promise<void>;
  /** On the same port and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** After a kill, sessions keep the shared memory for a moment, and starts fail until they end. */
const startLimitMs = 240_000;

export async function startPostgres(options: { maxConnections: number }): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-postgres-'));
  // PostgreSQL refuses to run as root; its user needs access to the folder.
  chmodSync(folder, 0o711);
  try {
    const cluster = join(folder, 'postgres');
    const binaries = await findBinaries();
    const identity = chooseIdentity([folder, binaries.postgres]);
    await initialise(folder, cluster, binaries, identity);
    const port = await freePort();
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port,
      max_connections: options.maxConnections,
      jit: 'off',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const { program, args, uid, gid } = identity.command(binaries.postgres, ['-D', cluster, ...flags]);
    const as = uid === undefined ? [program] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program];
    const server = supervise({
      name: 'PostgreSQL',
      folder,
      program: as[0] ?? program,
      args: [...as.slice(1), ...args],
      ready: async () => isReady(cluster) && (await isListening(port)),
    });
    const start = async (): Promise<void> => {
      const end = performance.now() + startLimitMs;
      for (;;) {
        rmSync(join(cluster, 'postmaster.pid'), { force: true });
        try {
          return await server.start();
        } catch (error) {
          if (performance.now() > end) throw error;
          await delay(200);
        }
      }
    };
    await start();
    return { url: addressOf(folder, port), kill: () => server.kill(), restart: start, stop: () => server.remove() };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The state that the postmaster writes on the last line of its file. */
function isReady(cluster: string): boolean {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}
