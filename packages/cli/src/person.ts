import type { Pool } from '@weir/postgres';
import { findToken, hashToken, type Role } from '@weir/service-kit';

/** The person of a token, if it has one of the roles. `what` takes two people, such as `a policy`. */
export async function personOf(
  pool: Pool,
  token: string,
  { what, roles }: { readonly what: string; readonly roles: readonly Role[] },
): Promise<{ id: string; name: string }> {
  if (token === '')
    throw new Error(
      `setting WEIR_TOKEN is not set: ${what} takes two people, and your own token says who you are ("weir keys create --person")`,
    );
  const caller = await findToken(pool, hashToken(token));
  if (caller === undefined) throw new Error('the token of WEIR_TOKEN is not known here, or was revoked');
  if (!roles.includes(caller.role))
    throw new Error(`the token of WEIR_TOKEN has the role ${caller.role}: this takes ${roles.join(' or ')}`);
  return { id: `${caller.role}:${caller.id}`, name: caller.name };
}
