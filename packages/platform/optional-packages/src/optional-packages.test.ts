import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importOptional, MissingPackageError, optionalPackages } from './optional-packages.ts';

interface Manifest {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
}

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', '..', '..', '..', file), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as Manifest;

test('a package that is not installed is named, with the command that installs it', async () => {
  const name: string = '@weir/not-installed';
  const missing = importOptional('Parquet', optionalPackages.parquet, () => import(name));
  await expect(missing).rejects.toThrow(MissingPackageError);
  await expect(missing).rejects.toThrow('run: npm install --no-save --save-prod --omit=dev @duckdb/node-api@');
});

test('an error of the package itself is passed on', async () => {
  const fails = importOptional('Parquet', optionalPackages.parquet, () => Promise.reject(new Error('broken')));
  await expect(fails).rejects.toThrow('broken');
});

test('optional packages are named in the locked version, and a production install leaves them out', () => {
  for (const parcel of Object.values(optionalPackages).flatMap((names) => names.split(' '))) {
    const [, name = '', version] = /^(@?[^@]+)@(.+)$/.exec(parcel) ?? [];
    expect(lock.packages[`node_modules/${name}`], parcel).toMatchObject({ version, dev: true });
  }
});

test('the image has the packages of Kafka, of tracing and of pay-per-call', () => {
  const dockerfile = read('deploy/Dockerfile');
  expect(dockerfile).toContain(` ${optionalPackages.kafka} `);
  expect(dockerfile).toContain(` ${optionalPackages.tracing} `);
  expect(dockerfile).toContain(` ${optionalPackages.x402} `);
});

test('a production install leaves out the compiler', () => {
  expect(lock.packages['node_modules/typescript']).toMatchObject({ dev: true });
});
