import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testTitles } from './test-titles.ts';

const root = join(import.meta.dirname, '..', '..');
const file = readFileSync(join(root, 'docs', 'security.md'), 'utf8');
const sections = new Map(file.split(/^## /m).map((text) => [text.slice(0, text.indexOf('\n')), text] as const));
/** docs/security.md names a test as: `path` “name”. */
const named = [...file.matchAll(/`([^`]+\.(?:test|containers)\.ts)` “([^”]+)”/g)].map(([, path = '', name = '']) => ({ path, name }));
const paths = [...file.matchAll(/`([^`\s]+\.(?:test|containers)\.ts)`/g)].map(([, path = '']) => path);

test('docs/security.md names tests', () => expect(named.length).toBeGreaterThan(40));

test.each([...new Set(paths)])('%s exists', (path) => expect(existsSync(join(root, path))).toBe(true));

test.each(named)('$path has a test called “$name”', ({ path, name }) => {
  expect([...testTitles(readFileSync(join(root, path), 'utf8'))]).toContain(name);
});

test.each(['Threats (STRIDE)', 'OWASP API Security Top 10 (2023)', 'TLS'])(
  'each row of “%s” names a test, or says that there is none',
  (title) => {
    const rows = (sections.get(title) ?? '').split('\n').filter((line) => line.startsWith('| '));
    expect(rows.length).toBeGreaterThan(9);
    for (const row of rows.slice(1)) expect(row).toMatch(/\.(?:test|containers)\.ts` “|\bno test\b/);
  },
);
