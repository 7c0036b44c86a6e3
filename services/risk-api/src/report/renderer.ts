import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.ts';

const program = fileURLToPath(new URL('render-process.ts', import.meta.url));
/** Far above what the largest report takes; a process that wants more ends. */
const maxHeapMb = 256;
/** As `nice` counts: scores come first. */
const niceness = 10;

/**
 * The PDF of a report, made in a process of its own: requests are not held up meanwhile, what takes too long is killed, and the memory that the
 * libraries take is given back (threads kept over 100 MB of it). Rejects when `signal` is aborted, or when it cannot be made.
 */
export function renderApart(report: Report, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [], {
      execArgv: [`--max-old-space-size=${maxHeapMb}`],
      // The environment holds secrets, which it has no use for.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      signal,
      killSignal: 'SIGKILL',
    });
    child.once('message', (answer) => {
      if (answer instanceof Error) reject(answer);
      else resolve(new Uint8Array(answer as Uint8Array));
    });
    child.on('error', reject);
    // Changes nothing when there was an answer.
    child.once('exit', (code, by) => reject(new Error(`the process ended without a report (${by ?? code})`)));
    child.once('spawn', () => {
      yieldToOthers(child);
      child.send(report, (error) => {
        if (error !== null) reject(error);
      });
    });
  });
}

function yieldToOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness);
  } catch {
    // It has ended already, which is told elsewhere.
  }
}
