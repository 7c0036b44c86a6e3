/** Run for a release: copies changed schemas to released/ under their next version. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');

for (const file of readdirSync(join(root, 'schemas')).sort()) {
  const topic = basename(file, '.avsc');
  const text = readFileSync(join(root, 'schemas', file), 'utf8');
  const folder = join(root, 'released', topic);
  mkdirSync(folder, { recursive: true });
  const version = readdirSync(folder).length;
  const last = version === 0 ? undefined : readFileSync(join(folder, `${version}.avsc`), 'utf8');
  if (last !== undefined && JSON.stringify(JSON.parse(last)) === JSON.stringify(JSON.parse(text))) continue;
  writeFileSync(join(folder, `${version + 1}.avsc`), text);
  process.stdout.write(`${topic}: version ${version + 1}\n`);
}
