import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
/** The module that owns these functions, and this test. */
const own = ['packages/platform/postgres/src/advisory-locks.ts', 'test/structure/advisory-locks.test.ts'];
/** Every lock function takes a key, so a file without calls contains no lock number. */
const call = /pg_(try_)?advisory_\w+/;

const sources = (): string[] =>
  globSync('{packages,services,test,deploy,scripts}/**/*.{ts,js,sql,sh}', { cwd: root, exclude: (path) => path.includes('node_modules') });

test('advisory locks are taken by name: no other file calls a lock function or contains a lock number', () => {
  const files = sources();
  expect(files).toEqual(expect.arrayContaining(own));
  const calls = files.filter((file) => !own.includes(file) && call.test(readFileSync(join(root, file), 'utf8')));
  expect(calls).toEqual([]);
});

test.each(['SELECT pg_advisory_xact_lock(7305141984)', 'PERFORM pg_advisory_xact_lock_shared($1)', 'SELECT pg_try_advisory_lock(1, 2)'])(
  'a call is found: %s',
  (text) => expect(text).toMatch(call),
);
