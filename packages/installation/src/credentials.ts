import { systemClock } from '@weir/clock';
import { type Pool, transaction } from '@weir/postgres';
import { storeApiKey } from '@weir/risk-api';
import { hashToken, needsPerson, recordActivity, type Role, roles, storeToken, tokenId, weir } from '@weir/service-kit';
import { type Credentials, readCredentials, writeCredentials } from './credentials-file.ts';

export interface CredentialsOptions {
  readonly file: string;
  /** Default: Weir itself. */
  readonly by?: { readonly id: string; readonly name: string };
  /** The person with the tokens that resolve and approve; prefix of the other names. */
  readonly name: string;
  readonly random: (bytes: number) => Buffer;
}

/**
 * Creates or completes a file of credentials, readable only by its owner. Stores their hashes again at each call, so that a new database
 * accepts an old file. Revoked ones stay revoked.
 */
export async function ensureCredentials(pool: Pool, { file, name, random, by = weir }: CredentialsOptions): Promise<Credentials> {
  const found = readCredentials(file);
  const secret = (): string => random(32).toString('base64url');
  const credentials: Credentials = {
    tokens: Object.fromEntries(roles.map((role) => [role, found.tokens?.[role] ?? secret()])) as Record<Role, string>,
    standard_api_key: found.standard_api_key ?? secret(),
    sandbox_api_key: found.sandbox_api_key ?? secret(),
  };
  writeCredentials(file, { ...found, ...credentials });
  await transaction(pool, async (tx) => {
    const created = (secretOf: string, details: Readonly<Record<string, string>>): Promise<void> =>
      recordActivity(tx, {
        action: 'key_created',
        subjectType: 'key',
        subject: tokenId(hashToken(secretOf)),
        by,
        details,
        at: systemClock.now(),
      });
    // The same person for both roles: one reader of the file must not pass the four-eyes check.
    for (const role of roles) {
      const [token, holder] = [credentials.tokens[role], needsPerson(role) ? name : `${name} ${role}`];
      if (await storeToken(tx, token, role, holder)) await created(token, { role, name: holder });
    }
    for (const [surface, key] of [
      ['standard', credentials.standard_api_key],
      ['sandbox', credentials.sandbox_api_key],
    ] as const) {
      const holder = `${name} ${surface}`;
      if (await storeApiKey(tx, key, { surface, ...limitsOf[surface], name: holder })) await created(key, { surface, name: holder });
    }
  });
  return credentials;
}

/** The pipeline is the only customer of the standard key, and its own budget limits it. */
const limitsOf = { standard: { perSecond: null, perDay: null }, sandbox: {} } as const;
