/**
 * `npm run check:api`: runs schemathesis (from the PATH or SCHEMATHESIS) against a risk API with the sample's chain data and against the
 * pipeline's API, side by side. Exits with 1 on any 5xx, on an undescribed response, or without schemathesis. `risk` or `pipeline` checks
 * one half.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Checked, startChecked } from './instance.ts';
import { type PipelineApi, startPipelineApi } from './pipeline-instance.ts';
import { type Config, writeConfig } from './schemathesis.ts';

/** Of both halves. The risk API answers 404 to an undescribed method, and 400 to a wrong key, as specified. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const ofPipeline = [...checks, 'unsupported_method'];
const leastRequests = { risk: 5_000, pipeline: 1_000 };
const limitMs = 15 * 60_000;

const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0) {
  process.stderr.write('schemathesis is not here: install it (pip install schemathesis), or name the program by SCHEMATHESIS\n');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'weir-api-'));
const halves = { risk: checkRisk, pipeline: checkPipeline };
const only = process.argv[2];
if (only !== undefined && !Object.hasOwn(halves, only)) {
  process.stderr.write(`there is no half ${only}: name ${Object.keys(halves).join(' or ')}, or none for both\n`);
  process.exit(1);
}
let failed: number;
try {
  failed = await (only === undefined ? checkBoth() : halves[only as keyof typeof halves]());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

/** Each in a process of its own, because one half fills a processor. */
async function checkBoth(): Promise<number> {
  const codes = Object.keys(halves).map(async (name) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit') as Promise<[code: number | null]>;
    for await (const line of createInterface({ input: child.stdout })) process.stdout.write(`${name}: ${line}\n`);
    const [code] = await exit;
    return code;
  });
  return (await Promise.all(codes)).filter((code) => code !== 0).length;
}

async function checkRisk(): Promise<number> {
  const api = await startChecked();
  try {
    // First arbitrary input, then existing addresses and transactions.
    let found = await run(api.url, { maxExamples: 150, checks, config: ofRisk(api, {}) });
    for (const subject of api.subjects) found += await run(api.url, { maxExamples: 40, checks, config: ofRisk(api, subject) });
    return found + report('risk', api.requests());
  } finally {
    await api.stop();
  }
}

async function checkPipeline(): Promise<number> {
  const api = await startPipelineApi();
  try {
    // First arbitrary input, then a held deposit.
    const arbitrary = await run(api.url, { maxExamples: 40, checks: ofPipeline, config: configOf(api, {}) });
    const held = await run(api.url, { maxExamples: 20, checks: ofPipeline, config: configOf(api, { 'path.screening_id': api.heldId }) });
    return arbitrary + held + report('pipeline', api.requests());
  } finally {
    await api.stop();
  }
}

function ofRisk({ keys }: Checked, subject: Readonly<Record<string, string>>): Config {
  const headers = (['standard', 'sandbox'] as const).map((tag) => ({
    include: `include-tag = "${tag}"`,
    headers: { 'X-API-Key': keys[tag] },
  }));
  const parameters = Object.entries(subject).flatMap(([name, value]) => [
    [`query.${name}`, value] as const,
    [`body.${name}`, value] as const,
  ]);
  return { headers, parameters: Object.fromEntries(parameters) };
}

/** No request waits for a decision, since nothing scores. */
function configOf({ operations, tokens }: PipelineApi, parameters: Config['parameters']): Config {
  const headers = operations.flatMap(({ name, admission: { roles } }) => {
    const role = roles.includes('admin') ? 'admin' : roles.at(-1);
    return role === undefined
      ? []
      : [{ include: `include-operation-id = "${name}"`, headers: { Authorization: `Bearer ${tokens[role]}` } }];
  });
  return { headers, parameters: { 'header.Prefer': 'wait=0', ...parameters } };
}

/** Returns 0 without findings. Keys go into the configuration file, because arguments are visible to other users. */
async function run(url: string, options: { maxExamples: number; checks: readonly string[]; config: Config }): Promise<number> {
  const config = writeConfig(folder, options.config);
  const args = ['--config-file', config, 'run', `${url}/openapi.json`];
  args.push('--checks', options.checks.join(','), '--max-examples', String(options.maxExamples), '--phases', 'examples,coverage,fuzzing');
  // A stream does not end by itself; `services/console/src/events` tests it.
  args.push('--exclude-operation-id', 'stream_events');
  // A report takes long on a busy machine.
  args.push('--request-timeout', '60');
  args.push('--continue-on-failure', '--warnings', 'off', '--no-color', '--generation-database', 'none', '--seed', '7');
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], timeout: limitMs });
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
  return code === 0 ? 0 : 1;
}

function report(half: keyof typeof leastRequests, requests: ReadonlyMap<string, number>): number {
  const all = [...requests.values()].reduce((sum, count) => sum + count, 0);
  const faults = [...requests].filter(([status]) => status.startsWith('5')).reduce((sum, [, count]) => sum + count, 0);
  const byStatus = [...requests].map(([status, count]) => `${status}: ${count}`).toSorted();
  const least = leastRequests[half];
  process.stdout.write(`${half} API: ${all} requests (${byStatus.join(', ')}), ${faults} of them answered 5xx\n`);
  if (all < least) process.stdout.write(`fewer than ${least} requests prove little\n`);
  return faults + (all < least ? 1 : 0);
}
