/** Writes vectors.json. With --check it exits 1 when the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeVectors } from '../src/vectors.testing.ts';

const target = join(import.meta.dirname, '..', 'vectors.json');
const wanted = `${JSON.stringify(await makeVectors(), null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(target, wanted);
else if (readFileSync(target, 'utf8') !== wanted) {
  process.stderr.write('packages/sdk/permit/vectors.json is out of date: run npm run generate\n');
  process.exitCode = 1;
}
