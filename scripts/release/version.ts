/** `npm run release:version`: consumes the changesets. Versions, CHANGELOG.md, the Helm chart and the released schemas follow from them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { readChangesets } from '@changesets/read';
import { entryOf, withEntry } from './changelog.ts';

/** The folder of a checkout; another one in tests. */
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..'));
const inRoot = (...path: string[]): string => join(root, ...path);
const require = createRequire(import.meta.url);

const changesets = await readChangesets(root);
if (changesets.length === 0) throw new Error('no changesets: there is nothing to release');

execFileSync(process.execPath, [join(dirname(require.resolve('@changesets/cli/package.json')), 'bin.js'), 'version'], {
  cwd: root,
  stdio: 'inherit',
});

const { version } = JSON.parse(readFileSync(inRoot('packages', 'cli', 'package.json'), 'utf8')) as { version: string };
rewrite('package.json', (text) => text.replace(/^( {2}"version": ")[^"]*/m, `$1${version}`));
rewrite('deploy/helm/Chart.yaml', (text) => text.replace(/^((?:version|appVersion): ).*$/gm, `$1${version}`));
rewrite('CHANGELOG.md', (text) => withEntry(text, entryOf(version, changesets)));
// The lockfile names the versions of workspaces too.
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline'], { cwd: root, stdio: 'inherit' });
execFileSync(process.execPath, [inRoot('packages/domain/contracts/scripts/release.ts')], { stdio: 'inherit' });

function rewrite(path: string, change: (text: string) => string): void {
  if (!existsSync(inRoot(path))) throw new Error(`${path} is missing`);
  writeFileSync(inRoot(path), change(readFileSync(inRoot(path), 'utf8')));
}
