import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedPackages } from '../../scripts/release/published.ts';

const root = join(import.meta.dirname, '..', '..');
const script = (name: string, ...args: string[]): void => {
  execFileSync(process.execPath, [join(root, 'scripts', 'release', name), ...args], { stdio: 'pipe' });
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-release-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a release raises every package to one version, with the chart, the lockfile and the changelog', () => {
  const copy = join(folder, 'copy');
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, copy]);
  writeFileSync(join(copy, '.changeset', 'own.md'), `---\n'@weir/policy': minor\n---\n\nReads another rule.\n`);
  script('version.ts', copy);
  const text = (file: string): string => readFileSync(join(copy, file), 'utf8');
  const { version } = JSON.parse(text('package.json')) as { version: string };
  const before = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
  expect(version).not.toBe(before);
  for (const file of globSync('{packages/*/*,packages/{installation,cli},services/*}/package.json', { cwd: copy })) {
    const own = JSON.parse(text(file)) as { version: string; dependencies?: Record<string, string> };
    const others = Object.entries(own.dependencies ?? {}).filter(([name]) => name.startsWith('@weir/'));
    expect([file, own.version, ...others.map(([, other]) => other)]).toEqual([file, ...Array(others.length + 1).fill(version)]);
  }
  expect(text('deploy/helm/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
  expect(text('CHANGELOG.md')).toMatch(new RegExp(`\\n## ${version.replaceAll('.', '\\.')}\\n[^]*- Reads another rule\\.\\n`));
  expect(JSON.parse(text('package-lock.json'))).toMatchObject({ version, packages: { 'packages/cli': { version } } });
  expect(globSync('.changeset/*.md', { cwd: copy })).toEqual([]);
  // The second release has nothing to release.
  expect(() => script('version.ts', copy)).toThrow('no changesets');
});

test('the packages for others are packed with what they need, beside the SBOM', () => {
  const out = join(folder, 'out');
  script('pack.ts', out);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const files = publishedPackages.map(([name]) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  expect(
    globSync('*', { cwd: out })
      .map((file) => basename(file))
      .toSorted(),
  ).toEqual([...files, `weir-${version}.cdx.json`].toSorted());
  for (const file of files) {
    const read = (path: string): string => execFileSync('tar', ['-xzOf', join(out, file), `package/${path}`], { encoding: 'utf8' });
    const { private: isPrivate, dependencies = {} } = JSON.parse(read('package.json')) as {
      private?: boolean;
      dependencies?: Record<string, string>;
    };
    expect([file, isPrivate, Object.keys(dependencies).filter((name) => name.startsWith('@weir/'))]).toEqual([file, undefined, []]);
    expect(read('LICENSE')).toContain('Apache License');
    expect(read('lib/index.js').length).toBeGreaterThan(0);
  }
});
