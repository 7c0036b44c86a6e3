/**
 * Writes the names of all settings, which each process must know, and their descriptions, which the console shows. With --check it exits 1
 * when a file is out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { tlsSchema } from '@weir/service-kit';
import { allSchema } from '../src/settings.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const target = join(root, 'packages', 'pipeline', 'service-kit', 'src', 'generated', 'variables.ts');
const schemas = Object.values({ ...allSchema, ...tlsSchema } as Record<string, { env: string; doc: string }>);
const settings = schemas.map(({ env }) => env);
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
const quoted = (text: string): string => JSON.stringify(text);
const meanings = [
  '// Made by `npm run generate`. Do not edit.',
  '/** Descriptions of settings, by name. */',
  'export const settingMeanings: Readonly<Record<string, string>> = {',
  ...schemas.toSorted((a, b) => (a.env < b.env ? -1 : 1)).map(({ env, doc }) => `  ${env}: ${quoted(doc)},`),
  '};',
  '',
].join('\n');
const isCheck = process.argv.includes('--check');
for (const [path, content] of [
  [target, wanted],
  [join(root, 'services', 'console', 'web', 'src', 'generated', 'settings.ts'), meanings],
] as const) {
  if (!isCheck) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== content) {
    process.stderr.write(`${relative(root, path)} is out of date: run npm run generate\n`);
    process.exitCode = 1;
  }
}
