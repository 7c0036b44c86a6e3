import { type Client, readOne } from '../console.ts';

/** The person or machine of the token. Rejects with `ConsoleDenied` for a token that is unknown or may not read. */
export function callerOf(client: Client): Promise<{ readonly name: string; readonly role: string }> {
  return readOne(client, '/v1/session');
}
