import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface ServiceProcess {
  /** The log line on listening. */
  readonly listening: { readonly port: number; readonly [field: string]: unknown };
  readonly url: string;
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
}

/** Rejects with the output if the process exits first. */
export async function startServiceProcess(name: string, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const main = join(import.meta.dirname, '..', '..', '..', 'services', name, 'src', 'main.ts');
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, WEIR_PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test that fails may leave it running.
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let text = '';
  const listening = await new Promise<ServiceProcess['listening']>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`it did not start: ${text}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = text.split('\n').find((own) => own.endsWith('}') && own.includes('listening'));
      if (found !== undefined) resolve(JSON.parse(found) as ServiceProcess['listening']);
    });
  });
  return { listening, url: `http://127.0.0.1:${listening.port}`, child, exit };
}
