import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/**
 * Makes of the package in `folder` what is published: JavaScript and declarations without tests, in `dist` or in the folder `target`;
 * `npm publish` is then run there. Within this repository the sources are used as they are.
 */
export function buildPackage(folder: string, target = 'dist'): void {
  const out = resolve(target);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json'), '--outDir', join(out, 'lib')], { stdio: 'inherit' });
  cpSync(join(folder, 'README.md'), join(out, 'README.md'));
  cpSync(join(import.meta.dirname, '..', 'LICENSE'), join(out, 'LICENSE'));
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(published(folder), null, 2)}\n`);
}

function published(folder: string): Record<string, unknown> {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    // In the sources these fields would bind all who install the repository.
    publishConfig: onlyPublished,
    exports: sources,
    ...manifest
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
    publishConfig?: object;
    [field: string]: unknown;
  };
  return {
    ...manifest,
    ...onlyPublished,
    exports: Object.fromEntries(
      Object.entries(sources)
        .filter(([name]) => name !== './testing')
        .map(([name, source]) => [name, built(source)]),
    ),
    files: ['lib'],
    sideEffects: false,
  };
}

/** `./src/x.ts` is built to `./lib/x.js`. */
function built(source: string): { types: string; default: string } {
  const stem = source.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, '');
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
