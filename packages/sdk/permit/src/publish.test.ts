import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
let home: string;
let built: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'weir-permit-'));
  built = join(home, 'node_modules', '@weir', 'permit');
  execFileSync(process.execPath, [join(folder, 'scripts', 'build.ts'), built]);
  // The only dependency.
  symlinkSync(join(folder, '..', '..', '..', 'node_modules', 'jose'), join(home, 'node_modules', 'jose'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('what is published is JavaScript with types, the README and the licence, and no test', () => {
  expect(readdirSync(built).toSorted()).toEqual(['LICENSE', 'README.md', 'lib', 'package.json']);
  const files = readdirSync(join(built, 'lib'));
  expect(files).toContain('index.js');
  expect(files.every((file) => /\.(js|d\.ts)$/.test(file) && !/test/.test(file))).toBe(true);
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('private');
  expect(Object.keys(manifest.dependencies)).toEqual(['jose']);
  for (const path of Object.values(manifest.exports['.'] as object)) expect(existsSync(join(built, path))).toBe(true);
});

test('it is imported and used like any package', () => {
  const program = `import { localKeys, verifyPermit } from '@weir/permit';
    const expected = { chain: 'ethereum', coin: 'ETH', to_address: '0x1', amount: '1' };
    const result = await verifyPermit('x.y.z', { keys: localKeys({ keys: [] }), issuer: 'weir', expected, now: 0 });
    console.log(result.ok, result.code);`;
  writeFileSync(join(home, 'program.mjs'), program);
  expect(execFileSync(process.execPath, ['program.mjs'], { cwd: home, encoding: 'utf8' }).trim()).toBe('false MALFORMED');
});
