import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCommand } from '../support/stack/installation.ts';
import { freePort } from '../support/stack/ports.ts';
import type { Line } from './line.ts';
import { type Kind, usageOfTree } from './processes.ts';

const limitMs = 300_000;
/** The replay's connections close after ten idle seconds. */
const settleMs = 12_000;
const idleMs = 10_000;

/** The first start with the sample: the time of the first decision, and the usage once idle. */
export async function benchStart(print: (line: Line) => void): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-start-'));
  const command = startCommand(['--port', String(await freePort()), '--data-dir', dataDir]);
  const beganAt = performance.now();
  const child = spawn(command.program, command.args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const { firstMs } = await untilDecided(child.stdout, beganAt);
    await delay(settleMs);
    const before = usageOfTree(child.pid ?? 0);
    await delay(idleMs);
    const after = usageOfTree(child.pid ?? 0);
    const share = (kind: Kind): number => (100 * (after[kind].cpuSeconds - before[kind].cpuSeconds)) / (idleMs / 1_000);
    const megabytes = (kind: Kind): number => after[kind].pssBytes / 1_048_576;
    const lines: Line[] = [
      { name: 'first decision after the start', value: firstMs / 1_000, unit: 's', bound: { most: 20 } },
      {
        name: 'memory of all processes, idle (PSS)',
        value: megabytes('weir') + megabytes('postgres'),
        unit: 'MB',
        bound: { most: 300 },
        note: `PostgreSQL ${megabytes('postgres').toFixed(0)} of it in ${after.postgres.count} processes; npm around it takes 60`,
      },
      {
        name: 'all processes, idle',
        value: share('weir') + share('postgres'),
        unit: '% of a core',
        bound: { most: 2 },
        note: `PostgreSQL ${share('postgres').toFixed(1)} of it`,
      },
    ];
    lines.forEach(print);
    return lines;
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function untilDecided(stdout: NodeJS.ReadableStream, beganAt: number): Promise<{ firstMs: number }> {
  const end = AbortSignal.timeout(limitMs);
  let output = '';
  let firstMs = 0;
  stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (firstMs === 0 && /^ *(\d+\/\d+ +)?(allow|review|block) /m.test(output)) firstMs = performance.now() - beganAt;
  });
  while (!output.includes('Where to look next')) {
    if (end.aborted) throw new Error(`not decided in ${limitMs / 1_000} s:\n${output.slice(-2_000)}`);
    await delay(100);
  }
  return { firstMs };
}
