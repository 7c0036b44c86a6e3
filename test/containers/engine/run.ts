import { type ChildProcess, spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string | Buffer;
  readonly limitMs?: number;
}

export class RunError extends Error {
  readonly code: number | string | null;

  constructor(what: string, code: number | string | null, said: string) {
    super(`${what} ended with ${code}:\n${said.slice(-4_000)}`);
    this.code = code;
  }
}

const outputLimit = 16 * 1024 * 1024;
const running = new Set<ChildProcess>();

/** Returns stdout. Throws `RunError` with the end of the output. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const what = [program, ...args].join(' ').slice(0, 200);
  const limitMs = options.limitMs ?? 60_000;
  const began = performance.now();
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out = (out + text).slice(-outputLimit);
    said = (said + text).slice(-8_000);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-8_000);
  });
  // A program that closes stdin early reports its own error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  const code = await new Promise<number | string | null>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.once('close', (status, signal) => resolve(status ?? signal));
  });
  if (code === 'SIGKILL' && performance.now() - began >= limitMs) throw new RunError(what, `nothing in ${limitMs / 1_000} s`, said);
  if (code !== 0) throw new RunError(what, code, said);
  return out;
}

export function endRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

export async function works(program: string, args: readonly string[], options: RunOptions = {}): Promise<boolean> {
  return run(program, args, { limitMs: 20_000, ...options }).then(
    () => true,
    () => false,
  );
}
