/**
 * `npm run check:api`: runs schemathesis (from the PATH or SCHEMATHESIS) against its own risk API with the sample's chain data. Exits with
 * 1 on any 5xx, on an undescribed response, or without schemathesis.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checked, startChecked } from './instance.ts';
import { writeConfig } from './schemathesis.ts';

/** Left out: an undescribed method answers 404 instead of 405, and a wrong key answers 400 as specified instead of 401. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const leastRequests = 5_000;
const limitMs = 15 * 60_000;

const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0) {
  process.stderr.write('schemathesis is not here: install it (pip install schemathesis), or name the program by SCHEMATHESIS\n');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'weir-api-'));
const checked = await startChecked();
let failed = 0;
try {
  // First arbitrary input, then existing addresses and transactions.
  failed += await run(checked, { maxExamples: 150 });
  for (const subject of checked.subjects) failed += await run(checked, { maxExamples: 40, subject });
  failed += report(checked.requests());
} finally {
  await checked.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

/** Returns 0 without findings. Keys go into the configuration file, because arguments are visible to other users. */
async function run({ url, keys }: Checked, options: { maxExamples: number; subject?: Readonly<Record<string, string>> }): Promise<number> {
  const config = writeConfig(folder, { keys, subject: options.subject });
  const args = ['--config-file', config, 'run', `${url}/openapi.json`];
  args.push('--checks', checks.join(','), '--max-examples', String(options.maxExamples), '--phases', 'examples,coverage,fuzzing');
  args.push('--continue-on-failure', '--warnings', 'off', '--no-color', '--generation-database', 'none', '--seed', '7');
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], timeout: limitMs });
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
  return code === 0 ? 0 : 1;
}

function report(requests: ReadonlyMap<string, number>): number {
  const all = [...requests.values()].reduce((sum, count) => sum + count, 0);
  const faults = [...requests].filter(([status]) => status.startsWith('5')).reduce((sum, [, count]) => sum + count, 0);
  const byStatus = [...requests].map(([status, count]) => `${status}: ${count}`).toSorted();
  process.stdout.write(`${all} requests (${byStatus.join(', ')}), ${faults} of them answered 5xx\n`);
  if (all < leastRequests) process.stdout.write(`fewer than ${leastRequests} requests prove little\n`);
  return faults + (all < leastRequests ? 1 : 0);
}
