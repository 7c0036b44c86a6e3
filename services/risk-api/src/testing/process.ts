import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The service as it runs by itself. */
export interface Process {
  readonly url: string;
  /** Of the sandbox, where it has a listener of its own. */
  readonly sandboxUrl: string | undefined;
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
}

export async function startProcess(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, DATABASE_URL: databaseUrl, WEIR_PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let text = '';
  const line = await new Promise<{ port: number; sandbox_port?: number }>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`it did not start: ${text}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = text.split('\n').find((own) => own.endsWith('}') && own.includes('listening'));
      if (found !== undefined) resolve(JSON.parse(found) as { port: number; sandbox_port?: number });
    });
  });
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  return { url: urlOf(line.port), sandboxUrl: line.sandbox_port === undefined ? undefined : urlOf(line.sandbox_port), child, exit };
}
