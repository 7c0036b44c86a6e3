/** `npm run release:pack [-- folder]`: the SBOM, and the packages that `npm run release:publish` publishes, in `dist/release`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publishedPackages } from './published.ts';
import { sbom } from './sbom.ts';

const root = join(import.meta.dirname, '..', '..');
const out = resolve(process.argv[2] ?? join(root, 'dist', 'release'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const built = mkdtempSync(join(tmpdir(), 'weir-release-'));
try {
  for (const [name, folder] of publishedPackages) {
    const target = join(built, name);
    execFileSync(process.execPath, [join(root, folder, 'scripts', 'build.ts'), target], { stdio: 'inherit' });
    execFileSync('npm', ['pack', '--pack-destination', out, '--loglevel', 'error'], { cwd: target, stdio: 'inherit' });
  }
} finally {
  rmSync(built, { recursive: true, force: true });
}
writeFileSync(join(out, `weir-${version}.cdx.json`), sbom());
