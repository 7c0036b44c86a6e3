/** `npm run release:publish`: publishes the packages of `dist/release` to the registry that npm is logged in to. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { publishedPackages } from './published.ts';

const folder = join(import.meta.dirname, '..', '..', 'dist', 'release');
const files = globSync('*.tgz', { cwd: folder });
if (files.length !== publishedPackages.length) throw new Error(`${folder} has ${files.length} packages: run "npm run release:pack" first`);
for (const file of files) execFileSync('npm', ['publish', join(folder, file), '--access', 'public'], { stdio: 'inherit' });
