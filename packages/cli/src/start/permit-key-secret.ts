import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const permitKeySecretFile = 'permit-key-secret';

/** The secret of a data folder that authenticates permit keys: made at the first start, outside the database, for its owner alone. */
export function ensurePermitKeySecret(dataDir: string, random: (bytes: number) => Buffer): string {
  const file = join(dataDir, permitKeySecretFile);
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    // Written aside and renamed: a kill in between leaves no half a file.
    writeFileSync(`${file}.new`, `${random(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  return readSecret(file);
}

/** The secret of the folder; undefined before the first start. */
export function findPermitKeySecret(dataDir: string): string | undefined {
  const file = join(dataDir, permitKeySecretFile);
  return existsSync(file) ? readSecret(file) : undefined;
}

function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[\w-]{43}$/.test(secret)) throw new Error(`${file} is not a secret of Weir; bring back the file that was there`);
  return secret;
}
