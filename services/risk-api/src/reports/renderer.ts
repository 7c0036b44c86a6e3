import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Report } from '@weir/risk-report';

const program = fileURLToPath(new URL('render-process.ts', import.meta.url));
/** Far above the largest report's need; a process that exceeds it ends. */
const maxHeapMb = 256;
/** A `nice` value: scores come first. */
const niceness = 10;

/**
 * Renders the PDF in a child process. It does not block requests, can be killed when late, and returns the libraries' memory
 * (worker threads kept over 100 MB). Rejects when `signal` is aborted or rendering fails.
 */
export function renderApart(report: Report, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [], {
      execArgv: [`--max-old-space-size=${maxHeapMb}`],
      // The child needs no secrets of the environment.
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
    // No effect after an answer.
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
    // The process has ended; `exit` reports it.
  }
}
