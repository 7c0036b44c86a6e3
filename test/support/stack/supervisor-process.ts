/**
 * Runs one server for a test. When its stdin ends, because the test ended or was killed, it kills the server and removes its folder.
 * Arguments: the folder, then the server's command. Commands: `start`, `term`, `kill`. Answers: `started`, and `ended` with exit code or
 * signal. The server writes to `output.log` in the folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder = '', program = '', ...args] = process.argv.slice(2);
const output = openSync(join(folder, 'output.log'), 'a');
let server: ChildProcess | undefined;

function start(): void {
  server = spawn(program, args, { cwd: folder, stdio: ['ignore', output, output] });
  server.once('spawn', () => process.stdout.write('started\n'));
  server.once('error', () => process.stdout.write('ended without a start\n'));
  server.once('exit', (code, signal) => process.stdout.write(`ended ${code ?? signal}\n`));
}

// The reader may be gone already.
process.stdout.on('error', () => undefined);
const commands = createInterface({ input: process.stdin });
commands.on('line', (line) => {
  if (line === 'start') start();
  if (line === 'term') server?.kill('SIGTERM');
  if (line === 'kill') server?.kill('SIGKILL');
});
commands.on('close', () => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.exit();
});
