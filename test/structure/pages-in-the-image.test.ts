import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('the image builds the pages with every package that they import', () => {
  const folders = new Map(
    globSync('packages/*/*/package.json', { cwd: root }).map((path) => [(JSON.parse(read(path)) as { name: string }).name, dirname(path)]),
  );
  const sources = globSync('services/console/web/src/**/*.{ts,tsx}', { cwd: root }).map(read);
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/^import (?!type )[^;]*? from '(@weir\/[^/']+)/gm)].map(([, name = '']) => name),
  );
  expect(imported.length).toBeGreaterThan(2);
  const dockerfile = read('deploy/Dockerfile');
  for (const name of new Set(imported)) {
    const folder = folders.get(name);
    expect(dockerfile, name).toContain(`\nCOPY ${folder} ${folder}\n`);
  }
});
