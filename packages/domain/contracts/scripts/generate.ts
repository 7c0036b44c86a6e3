/** Writes src/generated/records.ts. With --check it exits 1 when that file is out of date. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { generateRecords, type SchemaFile } from '../src/generate.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'src', 'generated', 'records.ts');
const files: SchemaFile[] = readdirSync(join(root, 'schemas'))
  .filter((name) => name.endsWith('.avsc'))
  .sort()
  .map((name) => ({ topic: basename(name, '.avsc'), text: readFileSync(join(root, 'schemas', name), 'utf8') }));
const wanted = generateRecords(files);

if (!process.argv.includes('--check')) {
  writeFileSync(target, wanted);
} else if (readFileSync(target, 'utf8') !== wanted) {
  process.stderr.write('packages/domain/contracts/src/generated/records.ts is not what schemas/ says: run npm run generate\n');
  process.exitCode = 1;
}
