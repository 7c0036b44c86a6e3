import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@weir/clock';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** The server that runs on this cluster, from its `postmaster.pid`; undefined if none does. */
export function runningPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  return Number.isInteger(pid) && Number.isInteger(port) && isPostgres(pid) ? { pid, port } : undefined;
}

/** After a crash another program may own the pid in the file, and PostgreSQL would refuse to start. */
export function removeStaleLock(cluster: string): void {
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

function isPostgres(pid: number): boolean {
  try {
    // A zombie counts as gone: without a reaper it answers signals for ever.
    if (process.platform === 'linux') return /^\d+ \(postgres\) [^ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (process.platform === 'win32') return isAlive(pid);
    return execFileSync('ps', ['-p', String(pid), '-o', 'comm='])
      .toString()
      .includes('postgres');
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Fast shutdown (rolls back open transactions), immediate after `patienceMs`. Resolves when the process is gone. */
export async function stopPostmaster(
  clock: Clock,
  pid: number,
  gone: () => boolean = () => !isPostgres(pid),
  patienceMs = 20_000,
): Promise<void> {
  const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;
  for (const signal of signals) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const end = clock.monotonic() + (signal === 'SIGINT' ? patienceMs : 5_000);
    while (clock.monotonic() < end) {
      if (gone()) return;
      await clock.sleep(20);
    }
  }
}
