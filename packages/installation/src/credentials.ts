import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Pool } from '@weir/postgres';
import { storeApiKey } from '@weir/risk-api';
import { needsPerson, type Role, roles, storeToken } from '@weir/service-kit';

/** One token a role, and a key for each surface of the risk API. */
export interface Credentials {
  readonly tokens: Readonly<Record<Role, string>>;
  readonly standard_api_key: string;
  readonly sandbox_api_key: string;
}

export interface CredentialsOptions {
  readonly file: string;
  /** The person with the tokens that resolve and approve; prefix of the other names. */
  readonly name: string;
  readonly random: (bytes: number) => Buffer;
}

/**
 * Creates or completes a file of credentials, readable only by its owner. Stores their hashes again at each call, so that a new database
 * accepts an old file. Revoked ones stay revoked.
 */
export async function ensureCredentials(pool: Pool, { file, name, random }: CredentialsOptions): Promise<Credentials> {
  const found = readCredentials(file);
  const secret = (): string => random(32).toString('base64url');
  const credentials: Credentials = {
    tokens: Object.fromEntries(roles.map((role) => [role, found.tokens?.[role] ?? secret()])) as Record<Role, string>,
    standard_api_key: found.standard_api_key ?? secret(),
    sandbox_api_key: found.sandbox_api_key ?? secret(),
  };
  write(file, `${JSON.stringify({ ...found, ...credentials }, null, 2)}\n`);
  // The same person for both roles: one reader of the file must not pass the four-eyes check.
  for (const role of roles) await storeToken(pool, credentials.tokens[role], role, needsPerson(role) ? name : `${name} ${role}`);
  // The pipeline is the only customer of this key, and its own budget limits it.
  await storeApiKey(pool, credentials.standard_api_key, { surface: 'standard', perSecond: null, perDay: null, name: `${name} standard` });
  await storeApiKey(pool, credentials.sandbox_api_key, { surface: 'sandbox', name: `${name} sandbox` });
  return credentials;
}

/** Empty when the file does not exist. */
export function readCredentials(file: string): Partial<Credentials> {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Credentials>;
  } catch (cause) {
    throw new Error(`${file} is not a file of credentials; move it away to have a new one made`, { cause });
  }
}

function write(file: string, content: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  // Renamed into place, so that a kill leaves no partial file.
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
