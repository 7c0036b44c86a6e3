import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const documents = globSync('**/*.md', { cwd: root, exclude: (path) => path.includes('node_modules') });

/** Paths below the root, in code spans: `services/x/src/y.ts`. Those with a placeholder name no file. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`((?:packages|services|test|deploy|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  return spans.filter((path) => !path.endsWith('…'));
}

function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
}

test.each(documents)('each file that %s names is there', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const missing = [
    ...pathsIn(text).filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(document), path))),
    ...linksIn(text).filter((link) => !existsSync(join(root, dirname(document), link))),
  ];
  expect(missing).toEqual([]);
});

test('a missing path and a missing link are found', () => {
  expect(pathsIn('see `services/nowhere/src/x.ts` and `packages/<name>/x`')).toEqual(['services/nowhere/src/x.ts']);
  expect(linksIn('[a](docs/a.md) [b](https://x) [c](#d)')).toEqual(['docs/a.md']);
});
