/** What a caller may do: `auditor` reads everything, `reviewer` and `approver` also decide held transfers, `ingest` and `gate` belong to machines. */
export const roles = ['ingest', 'gate', 'reviewer', 'approver', 'auditor', 'admin'] as const;
export type Role = (typeof roles)[number];

/**
 * Roles a person may be given by the OIDC provider. Who is given several has the first of them: who decides on transfers
 * does not also move them, as an admin could.
 */
export const personRoles = ['approver', 'reviewer', 'admin', 'auditor'] as const satisfies readonly Role[];
export type PersonRole = (typeof personRoles)[number];

/** Roles of machines, which call on their own. */
export const machineRoles: readonly Role[] = ['ingest', 'gate'];

/** Whose decisions count as a person's: a token with one of these belongs to a named person. */
const reviewRoles: readonly Role[] = ['reviewer', 'approver'];

/** The name of a token is the name of its holder. Two tokens of one name are one person, so a person of no name cannot have one. */
export function needsPerson(role: Role): boolean {
  return reviewRoles.includes(role);
}

/** Roles that may read everything. */
export const readers: readonly Role[] = ['reviewer', 'approver', 'auditor', 'admin'];

/** Who calls, as far as the token says. */
export interface Caller {
  /** Of a stored token: the first 16 hexadecimal digits of its hash. Of a person of the OIDC provider: see `personId`. */
  readonly id: string;
  readonly role: Role;
  /** Of a stored token: the name of its holder. Of a person of the OIDC provider: as the provider calls the person, else the id. */
  readonly name: string;
  /** Of a stored token that has limits of its own. */
  readonly limits?: TokenLimits;
}

/** What one token may do; null: the default of the settings. */
export interface TokenLimits {
  /** Requests in a second, of one process. */
  readonly perSecond: number | null;
  /** Tasks created at the risk API in a UTC day; lookups beyond them go in the lane of re-screenings. */
  readonly perDay: number | null;
}
