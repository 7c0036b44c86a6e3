import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const dependencies = ['eventsource-parser', 'standardwebhooks'];
let home: string;
let built: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'weir-client-'));
  built = join(home, 'node_modules', '@weir', 'client');
  execFileSync(process.execPath, [join(folder, 'scripts', 'build.ts'), built]);
  for (const name of dependencies) symlinkSync(join(folder, '..', '..', '..', 'node_modules', name), join(home, 'node_modules', name));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('what is published is JavaScript with types, the README and the licence, and no test', () => {
  expect(readdirSync(built).toSorted()).toEqual(['LICENSE', 'README.md', 'lib', 'package.json']);
  const files = readdirSync(join(built, 'lib'), { recursive: true, encoding: 'utf8' }).filter((file) => file !== 'generated');
  expect(files).toContain('index.js');
  expect(files.every((file) => /\.(js|d\.ts)$/.test(file) && !/test/.test(file))).toBe(true);
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('private');
  expect(Object.keys(manifest.dependencies)).toEqual(dependencies);
  for (const path of Object.values(manifest.exports['.'] as object)) expect(existsSync(join(built, path))).toBe(true);
});

test('it is imported and used like any package', () => {
  const program = `import { WeirClient } from '@weir/client';
    const client = new WeirClient({ baseUrl: 'http://127.0.0.1:1', token: 't', retry: { attempts: 1 } });
    console.log(await client.getWithdrawal('w-1').catch((error) => error.message));`;
  writeFileSync(join(home, 'program.mjs'), program);
  expect(execFileSync(process.execPath, ['program.mjs'], { cwd: home, encoding: 'utf8' }).trim()).toBe(
    'NETWORK: no connection, or it was cut',
  );
});
