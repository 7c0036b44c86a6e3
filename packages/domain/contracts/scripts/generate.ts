/** Writes src/generated/records.ts and asyncapi.yaml. With --check it exits 1 when one is out of date. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { stringify } from 'yaml';
import { generateRecords, type SchemaFile } from '../src/generate.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'src', 'generated', 'records.ts');
const files: SchemaFile[] = readdirSync(join(root, 'schemas'))
  .filter((name) => name.endsWith('.avsc'))
  .sort()
  .map((name) => ({ topic: basename(name, '.avsc'), text: readFileSync(join(root, 'schemas', name), 'utf8') }));
write(target, generateRecords(files));
// The description reads the generated schemas.
const { asyncApi } = await import('../src/asyncapi.ts');
write(
  join(root, 'asyncapi.yaml'),
  `# Made by \`npm run generate\`. Do not edit.\n${stringify(asyncApi(), { aliasDuplicateObjects: false })}`,
);

function write(path: string, wanted: string): void {
  if (!process.argv.includes('--check')) return writeFileSync(path, wanted);
  if (readFileSync(path, 'utf8') === wanted) return;
  process.stderr.write(`packages/domain/contracts/${relative(root, path)} is not what schemas/ says: run npm run generate\n`);
  process.exitCode = 1;
}
