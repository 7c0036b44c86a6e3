import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Far above the largest report's need; a process that exceeds it ends. */
const maxHeapMb = 256;
/** A `nice` value: requests come first. */
const niceness = 10;

/**
 * Runs a program that takes one message and answers with bytes, in a child process. It does not block requests, can be killed when late,
 * and returns the libraries' memory (worker threads kept over 100 MB). Rejects when `signal` is aborted or the program answers an error.
 */
export function runApart(program: URL, input: object, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(program), [], {
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
    child.once('exit', (code, by) => reject(new Error(`the process ended without an answer (${by ?? code})`)));
    child.once('spawn', () => {
      yieldToOthers(child);
      child.send(input, (error) => {
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
