import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from '@weir/postgres';
import { storeApiKey } from '@weir/risk-api';
import { type Role, roles, storeToken } from '@weir/service-kit';

/** What `dev-credentials.json` holds: one token a role, and a key for each surface of the risk API. */
export interface DevCredentials {
  readonly tokens: Readonly<Record<Role, string>>;
  readonly standard_api_key: string;
  readonly sandbox_api_key: string;
}

/**
 * The credentials of this data folder, made at its first start and readable by its owner alone.
 * The database knows their hashes only, and is told them again at each start: a new database takes an old file.
 */
export async function ensureCredentials(pool: Pool, dataDir: string, random: (bytes: number) => Buffer): Promise<DevCredentials> {
  const file = join(dataDir, 'dev-credentials.json');
  const credentials = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DevCredentials) : makeCredentials(file, random);
  for (const role of roles) await storeToken(pool, credentials.tokens[role], role, `dev ${role}`);
  // Our own pipeline is the customer here: its own budget paces it, the key need not.
  await storeApiKey(pool, credentials.standard_api_key, { surface: 'standard', name: 'dev standard' });
  await storeApiKey(pool, credentials.sandbox_api_key, { surface: 'sandbox', name: 'dev sandbox' });
  return credentials;
}

function makeCredentials(file: string, random: (bytes: number) => Buffer): DevCredentials {
  const secret = (): string => random(32).toString('base64url');
  const credentials: DevCredentials = {
    tokens: Object.fromEntries(roles.map((role) => [role, secret()])) as Record<Role, string>,
    standard_api_key: secret(),
    sandbox_api_key: secret(),
  };
  // Written aside and renamed: a kill in between leaves no half a file.
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return credentials;
}
