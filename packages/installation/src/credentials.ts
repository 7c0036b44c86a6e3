import type { Pool } from '@weir/postgres';
import { storeApiKey } from '@weir/risk-api';
import { needsPerson, type Role, roles, storeToken } from '@weir/service-kit';
import { type Credentials, readCredentials, writeCredentials } from './credentials-file.ts';

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
  writeCredentials(file, { ...found, ...credentials });
  // The same person for both roles: one reader of the file must not pass the four-eyes check.
  for (const role of roles) await storeToken(pool, credentials.tokens[role], role, needsPerson(role) ? name : `${name} ${role}`);
  // The pipeline is the only customer of this key, and its own budget limits it.
  await storeApiKey(pool, credentials.standard_api_key, { surface: 'standard', perSecond: null, perDay: null, name: `${name} standard` });
  await storeApiKey(pool, credentials.sandbox_api_key, { surface: 'sandbox', name: `${name} sandbox` });
  return credentials;
}
