import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTestDatabase } from '@weir/postgres/testing';
import { afterEach, describe, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process with a one-route service, which ends a request only after the first signal. */
const program = `
  import { everybody, operation, runService, untilSignal } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
  const respond = async (c) => {
    process.stderr.write('asked\\n');
    await untilSignal();
    return c.text('done');
  };
  const operations = [operation({ name: 'slow', method: 'GET', path: '/slow', summary: 'Waits.', admission: everybody, respond })];
  const stop = async () => {
    process.stderr.write('stopped\\n');
    if (process.env.HANG === 'stop') await new Promise(() => setInterval(() => undefined, 1_000));
  };
  await runService({ name: 'example', purpose: 'Waits.', port: 4999, schema: {}, start: async () => ({ operations, stop }) });
`;

function run(env: Record<string, string>): {
  child: ChildProcess;
  line: (wanted: string) => Promise<string>;
  exit: Promise<{ code: number; stdout: string; stderr: string }>;
} {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...env, PATH: process.env['PATH'] },
    cwd: import.meta.dirname,
  });
  children.push(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => void (said.stdout += text));
  child.stderr.on('data', (text) => void (said.stderr += text));
  const lines = createInterface({ input: child.stderr });
  const exit = once(child, 'close').then(([code]) => ({ code: code as number, ...said }));
  const line = (wanted: string): Promise<string> =>
    new Promise((resolve, reject) => {
      lines.on('line', (text) => (text.includes(wanted) ? resolve(text) : undefined));
      void exit.then(({ code }) => reject(new Error(`ended with ${code} before it said ${wanted}: ${said.stderr}`)));
    });
  return { child, line, exit };
}

test('a service listens, is ready, and lets a running request end when it is told to stop', async () => {
  const db = await createTestDatabase();
  try {
    const { child, line, exit } = run({ DATABASE_URL: db.url, WEIR_PORT: '0' });
    const { port } = JSON.parse(await line('listening')) as { port: number };
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', unavailable: [] }]);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('# TYPE weir_dead_letters_total counter');
    // Those of other services are theirs.
    expect(metrics).not.toContain('weir_audit_entries_total');
    const asked = line('asked');
    const answer = fetch(`http://127.0.0.1:${port}/slow`);
    await asked;
    child.kill('SIGTERM');
    expect(await (await answer).text()).toBe('done');
    const { code, stdout, stderr } = await exit;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/stopped\n$/);
  } finally {
    await db.drop();
  }
});

test('signals within a second of the first are one, a later one ends the process at once', async () => {
  const db = await createTestDatabase();
  try {
    const { child, line, exit } = run({ DATABASE_URL: db.url, WEIR_PORT: '0', HANG: 'stop' });
    await line('listening');
    const stopping = line('stopped');
    const began = performance.now();
    // A terminal and npm send the same signal twice. These two differ, because the kernel merges equal pending signals.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await stopping;
    const again = setInterval(() => child.kill('SIGINT'), 50);
    const { code } = await exit;
    clearInterval(again);
    expect(code).toBe(130);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  } finally {
    await db.drop();
  }
});

test('a service that cannot stop is ended in time, and says so', async () => {
  const db = await createTestDatabase();
  try {
    const { child, line, exit } = run({ DATABASE_URL: db.url, WEIR_PORT: '0', HANG: 'stop' });
    await line('listening');
    child.kill('SIGTERM');
    const { code, stderr } = await exit;
    expect([code, stderr]).toEqual([1, expect.stringContaining('the process did not stop in time and is ended')]);
  } finally {
    await db.drop();
  }
});

test.each<[string, Record<string, string>, string]>([
  ['without a database', {}, 'setting DATABASE_URL is not set: a standalone service needs a database'],
  ['with a wrong setting', { WEIR_PORT: 'sesame' }, 'setting WEIR_PORT is wrong: must be a whole number from 0 to 65535'],
  ['with a mistyped setting', { WEIR_PROT: '1', WEIR_LOG_LEVL: 'info' }, 'setting WEIR_LOG_LEVL is unknown; did you mean WEIR_LOG_LEVEL?'],
  ['with a database that is away', { DATABASE_URL: 'postgres://u:sesame@localhost:1/d' }, 'the database cannot be reached'],
])('a service %s says so in one line and ends', async (_, env, said) => {
  expect(await run(env).exit).toEqual({ code: 1, stdout: '', stderr: `example: ${said}\n` });
});

test('a service whose port is in use says so in one line and ends', async () => {
  const db = await createTestDatabase();
  const other = createServer();
  try {
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await run({ DATABASE_URL: db.url, WEIR_PORT: String(port) }).exit;
    expect([code, stderr]).toEqual([1, `example: port ${port} is in use; choose another\n`]);
  } finally {
    other.close();
    await db.drop();
  }
});

describe('the program of each service', () => {
  const services = join(import.meta.dirname, '..', '..', '..', '..', 'services');
  const names = readdirSync(services).filter((name) => existsSync(join(services, name, 'src', 'main.ts')));
  const runProgram = (name: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(services, name, 'src', 'main.ts'), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });

  test('there are eight', () => expect(names).toHaveLength(8));

  test.each(names)('%s prints its settings with --help, and refuses other arguments', (name) => {
    const help = runProgram(name, '--help');
    expect({ status: help.status, stderr: help.stderr }).toEqual({ status: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: node services/${name}/src/main.ts\n`);
    expect(help.stdout).toMatch(/^ {2}WEIR_LOG_LEVEL=info\n {6}Least severe log line that is written$/m);
    const wrong = runProgram(name, '--port', '1');
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toBe(
      `${name}: unknown argument '--port'; settings are environment variables. Run 'node services/${name}/src/main.ts --help' for usage.\n`,
    );
  });
});
