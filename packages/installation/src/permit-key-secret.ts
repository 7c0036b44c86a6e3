import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const permitKeySecretFile = 'permit-key-secret';

/**
 * The data folder's secret that authenticates permit keys. Created at the first start, outside the database, readable only by its owner.
 */
export function ensurePermitKeySecret(dataDir: string, random: (bytes: number) => Buffer): string {
  const file = join(dataDir, permitKeySecretFile);
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    // Renamed into place, so that a kill leaves no partial file.
    writeFileSync(`${file}.new`, `${random(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  return readSecret(file);
}

/** Undefined before the first start. */
export function findPermitKeySecret(dataDir: string): string | undefined {
  const file = join(dataDir, permitKeySecretFile);
  return existsSync(file) ? readSecret(file) : undefined;
}

function readSecret(file: string): string {
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[\w-]{43}$/.test(secret)) throw new Error(`${file} is not a secret of Weir; bring back the file that was there`);
  return secret;
}
