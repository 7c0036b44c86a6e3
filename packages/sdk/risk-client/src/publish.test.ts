import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
let home: string;
let built: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'weir-risk-client-'));
  built = join(home, 'node_modules', '@weir', 'risk-client');
  execFileSync(process.execPath, [join(folder, 'scripts', 'build.ts'), built]);
  // The only dependency.
  symlinkSync(dirname(createRequire(import.meta.url).resolve('zod/package.json')), join(home, 'node_modules', 'zod'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('what is published is JavaScript with types, the README and the licence, and no test', () => {
  expect(readdirSync(built).toSorted()).toEqual(['LICENSE', 'README.md', 'lib', 'package.json']);
  const files = readdirSync(join(built, 'lib'), { recursive: true, encoding: 'utf8' }).filter((file) => file !== 'pay');
  expect(files).toEqual(expect.arrayContaining(['index.js', join('pay', 'index.js')]));
  expect(files.every((file) => /\.(js|d\.ts)$/.test(file) && !/test/.test(file))).toBe(true);
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('private');
  expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
  for (const path of Object.values(manifest.exports as object).flatMap(Object.values)) expect(existsSync(join(built, path))).toBe(true);
  // Clients that do not pay per call install no x402 package.
  expect(Object.keys(manifest.peerDependencies).every((name) => manifest.peerDependenciesMeta[name].optional)).toBe(true);
});

test('it is imported and used like any package', () => {
  const program = `import { RiskClient } from '@weir/risk-client';
    const client = new RiskClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', keyIn: 'header' });
    console.log((await client.riskScoreV2({ coin: 'ETH', address: '0x1' })).kind);`;
  writeFileSync(join(home, 'program.mjs'), program);
  expect(execFileSync(process.execPath, ['program.mjs'], { cwd: home, encoding: 'utf8' }).trim()).toBe('unavailable');
});

test('the paying client is a part of its own, which loads the libraries of x402 when it pays', () => {
  const program = `import { PayingClient } from '@weir/risk-client/pay';
    const evm = { address: '0x1', signTypedData: async () => '0x' };
    const client = new PayingClient({ baseUrl: 'http://127.0.0.1:1', wallets: { evm }, spendingCapMicroUsdc: 0n });
    console.log((await client.riskScore({ coin: 'ETH', address: '0x1' })).answer.kind);`;
  writeFileSync(join(home, 'paying.mjs'), program);
  expect(execFileSync(process.execPath, ['paying.mjs'], { cwd: home, encoding: 'utf8' }).trim()).toBe('unavailable');
});
