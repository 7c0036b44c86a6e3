/** Writes the names of all settings, which each process must know. With --check it exits 1 when the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tlsSchema } from '@weir/service-kit';
import { allSchema } from '../src/settings.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const target = join(root, 'packages', 'pipeline', 'service-kit', 'src', 'generated', 'variables.ts');
const settings = Object.values({ ...allSchema, ...tlsSchema } as Record<string, { env: string }>).map(({ env }) => env);
const ofCompose = readFileSync(join(root, 'docker-compose.yml'), 'utf8').match(/WEIR_[A-Z0-9_]+/g) ?? [];
/** Programs that use the client package set it, as its README shows. */
const ofClient = 'WEIR_URL';
const names = [...new Set([...settings, ...ofCompose, ofClient])].toSorted();
const wanted = [
  '// Made by `npm run generate`. Do not edit.',
  '/** Settings of every service and of the commands, and variables of docker-compose.yml and of the client package. */',
  `export const knownVariables: readonly string[] = [\n${names.map((name) => `  '${name}',`).join('\n')}\n];`,
  '',
].join('\n');
if (!process.argv.includes('--check')) writeFileSync(target, wanted);
else if (readFileSync(target, 'utf8') !== wanted) {
  process.stderr.write('packages/pipeline/service-kit/src/generated/variables.ts lacks a setting: run npm run generate\n');
  process.exitCode = 1;
}
