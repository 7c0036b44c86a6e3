/**
 * `npm run build -w @weir/risk-client [-- folder]`: the package as it is published, JavaScript and declarations without tests, in `dist` or the given
 * folder; `npm publish` is then run there. Within this repository the sources are used as they are.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const folder = join(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(folder, 'dist'));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json'), '--outDir', join(out, 'lib')], { stdio: 'inherit' });
cpSync(join(folder, 'README.md'), join(out, 'README.md'));
cpSync(join(folder, '..', '..', 'LICENSE'), join(out, 'LICENSE'));

const {
  private: _private,
  scripts: _scripts,
  devDependencies: _dev,
  exports: _exports,
  ...manifest
} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
const published = {
  ...manifest,
  exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
  files: ['lib'],
  sideEffects: false,
};
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
