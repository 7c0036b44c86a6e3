import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from '../support/install-once.ts';
import type { Manifest } from './chart.ts';

const run = promisify(execFile);
const source = join(import.meta.dirname, 'decoder');
const files = ['main.go', 'go.mod', 'go.sum'];
const buildLimitMs = 1_800_000;
const limitMs = 60_000;

/** What the Go types of Kubernetes and of the Prometheus operator do not know in these objects: unknown fields, wrong types. KEDA's are left out. */
export async function decodeStrictly(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(source, file)));
  const program = join(await installOnce(`manifests-${hash.digest('hex').slice(0, 12)}`, build), 'decode');
  const known = manifests.filter(({ apiVersion }) => !apiVersion.startsWith('keda.sh/'));
  const child = run(program, { timeout: limitMs });
  child.child.stdin?.end(JSON.stringify(known));
  return JSON.parse((await child).stdout) as string[];
}

async function build(folder: string): Promise<void> {
  const module = join(folder, 'source');
  cpSync(source, module, { recursive: true });
  await run('go', ['build', '-o', join(folder, 'decode'), '.'], { cwd: module, timeout: buildLimitMs });
}
