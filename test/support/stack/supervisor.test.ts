import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

/** A test process that supervises a server. */
const guardian = `
  import { existsSync, readFileSync } from 'node:fs';
  import { supervise } from ${JSON.stringify(join(import.meta.dirname, 'supervisor.ts'))};
  const [folder] = process.argv.slice(-1);
  const pid = folder + '/pid';
  const server = "require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => undefined, 1000)";
  const supervised = supervise({ name: 'it', folder, program: process.execPath, args: ['-e', server], ready: async () => existsSync(pid) });
  await supervised.start();
  process.stdout.write(readFileSync(pid, 'utf8') + '\\n');
`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a server ends, and its folder goes, when the test that started it is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-supervised-'));
  const child = spawn(process.execPath, ['--input-type=module', '-e', guardian, '--', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve)));
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]), { timeout: 10_000 });
});
