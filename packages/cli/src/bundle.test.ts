import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const bin = join(import.meta.dirname, '..', 'bin');
const source = 'packages/cli/src/main.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'weir-bundle-'));
  const folder = join(root, 'node_modules', '.cache', 'weir-bundle', 'last');
  const file = join(root, source);
  for (const each of [folder, join(file, '..')]) mkdirSync(each, { recursive: true });
  cpSync(bin, join(root, 'packages', 'cli', 'bin'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(file, `process.stdout.write('source');\n`);
  writeFileSync(join(folder, 'weir.mjs'), `process.stdout.write('bundle');\n`);
  const { mtimeMs, size } = statSync(file);
  writeFileSync(join(folder, '..', 'manifest.json'), JSON.stringify({ folder: 'last', files: [[source, mtimeMs, size]] }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (): string => execFileSync(process.execPath, [join(root, 'packages', 'cli', 'bin', 'weir.js')], { encoding: 'utf8' });

test('the bundle is run as long as it is made of these sources', () => {
  expect(run()).toBe('bundle');
});

test('after a change of a source the sources are run', () => {
  appendFileSync(join(root, source), '// changed\n');
  expect(run()).toBe('source');
});

test('without a whole bundle the sources are run', () => {
  writeFileSync(join(root, 'node_modules', '.cache', 'weir-bundle', 'manifest.json'), '{');
  expect(run()).toBe('source');
});

test('when a source is gone the bundle is not run', () => {
  rmSync(join(root, source));
  expect(run).toThrow();
});
