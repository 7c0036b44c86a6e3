import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from '../support/install-once.ts';

const run = promisify(execFile);
const installLimitMs = 600_000;
const own = join(import.meta.dirname, '..', '..');

/** A checkout of this repository with its packages. */
export interface Version {
  readonly name: string;
  readonly root: string;
}

export const today: Version = { name: 'N+1', root: own };

/** The commit or tag whose programs today's replace. `capture.ts` writes it for each release. */
const revision = readFileSync(join(import.meta.dirname, 'released', 'version-before'), 'utf8').trim();

/** Checks out version N into the user's cache, with the packages of an installation on Kafka. */
export async function installVersionBefore(): Promise<Version> {
  const commit = await findCommit();
  const root = await installOnce(`weir-${commit.slice(0, 12)}`, async (folder) => {
    const archive = join(folder, 'archive.tar');
    await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: own });
    await run('tar', ['-xf', archive, '-C', folder]);
    rmSync(archive);
    const usual = ['--prefix', folder, '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
    const options = { cwd: folder, timeout: installLimitMs };
    await run('npm', ['ci', ...usual], options);
    const optional = pathToFileURL(join(folder, 'packages', 'platform', 'optional-packages', 'src', 'index.ts')).href;
    const { optionalPackages } = (await import(optional)) as { optionalPackages: { kafka: string } };
    await run('npm', ['install', ...usual, '--no-save', '--save-prod', optionalPackages.kafka], options);
  });
  return { name: 'N', root };
}

async function findCommit(): Promise<string> {
  try {
    const { stdout } = await run('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], { cwd: own });
    return stdout.trim();
  } catch (cause) {
    const message = `the version before, ${revision}, is not in the history of this checkout: use a whole clone with its tags (git fetch --unshallow --tags)`;
    throw new Error(message, { cause });
  }
}
