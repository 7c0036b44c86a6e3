import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { failed, passwordFile, user } from './data-folder.ts';
import type { Identity } from './identity.ts';

/** Builds aside and renames: `initdb` writes PG_VERSION first, so a kill in between would leave a cluster that never starts. */
export async function initialise(dataDir: string, cluster: string, binaries: Binaries, identity: Identity): Promise<void> {
  for (const name of readdirSync(dataDir)) if (/^postgres\.new-[0-9a-f]{12}(\.password)?$/.test(name)) tidyAway(join(dataDir, name));
  const fresh = `${cluster}.new-${randomBytes(6).toString('hex')}`;
  mkdirSync(fresh, { mode: 0o700 });
  const handed = `${fresh}.password`;
  const password = randomBytes(24).toString('base64url');
  writeFileSync(handed, password, { mode: 0o600 });
  if (identity.owner !== undefined) {
    for (const path of [fresh, handed]) chownSync(path, identity.owner.uid, identity.owner.gid);
  }
  const { program, args, ...as } = identity.command(binaries.initdb, [
    `--pgdata=${fresh}`,
    `--username=${user}`,
    `--pwfile=${handed}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    '--no-clean',
  ]);
  try {
    await promisify(execFile)(program, args, { ...as, cwd: '/', timeout: 120_000 });
    // Inside the cluster, so both appear in one rename; of two concurrent runs one wins with both.
    writeFileSync(join(fresh, passwordFile), password, { mode: 0o600, flush: true });
    renameSync(fresh, cluster);
  } catch (error) {
    const stderr = ((error as { stderr?: string }).stderr ?? '')
      .trim()
      .split('\n')
      .find((line) => line !== '');
    const failure = failed(dataDir, `PostgreSQL could not be initialised: ${stderr ?? (error as NodeJS.ErrnoException).code}`, error);
    tidyAway(fresh);
    throw failure;
  } finally {
    rmSync(handed, { force: true });
  }
}

/** Best effort: the `initdb` of a killed process may still write there. */
function tidyAway(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next initialisation retries; the leftover only takes space.
  }
}
