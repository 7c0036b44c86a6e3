import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Pool } from '@weir/postgres';
import { storeApiKey } from '@weir/risk-api';
import { needsPerson, type Role, roles, storeToken } from '@weir/service-kit';

/** What a file of credentials holds: one token a role, and a key for each surface of the risk API. */
export interface Credentials {
  readonly tokens: Readonly<Record<Role, string>>;
  readonly standard_api_key: string;
  readonly sandbox_api_key: string;
}

export interface CredentialsOptions {
  readonly file: string;
  /** The one person of the file, who has the tokens that resolve and approve; it begins the names of the others. */
  readonly name: string;
  readonly random: (bytes: number) => Buffer;
}

/**
 * The credentials of a file, made at the first call and readable by its owner alone; what it lacks is added. The database knows their hashes only,
 * and is told them again at each call: a new database takes an old file, and what was revoked stays revoked.
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
  // One person alone: whoever reads the file must not be two pairs of eyes.
  for (const role of roles) await storeToken(pool, credentials.tokens[role], role, needsPerson(role) ? name : `${name} ${role}`);
  // Our own pipeline is the customer here: its own budget paces it, the key need not.
  await storeApiKey(pool, credentials.standard_api_key, { surface: 'standard', perSecond: null, perDay: null, name: `${name} standard` });
  await storeApiKey(pool, credentials.sandbox_api_key, { surface: 'sandbox', name: `${name} sandbox` });
  return credentials;
}

/** What a file of credentials holds; nothing where there is none. */
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
  // Written aside and renamed: a kill in between leaves no half a file.
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
