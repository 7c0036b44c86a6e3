/** `auditor` reads everything, `reviewer` and `approver` also resolve held transfers, `ingest` and `gate` are for machines. */
export const roles = ['ingest', 'gate', 'reviewer', 'approver', 'auditor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** A person with several gets the first: a person who resolves transfers must not also move them, as an admin could. */
export const personRoles = ['approver', 'reviewer', 'admin', 'auditor'] as const satisfies readonly Role[];
export type PersonRole = (typeof personRoles)[number];

export const machineRoles: readonly Role[] = ['ingest', 'gate'];

/** Their resolutions count as a person's, so such a token belongs to a named person. */
const reviewRoles: readonly Role[] = ['reviewer', 'approver'];

/** A token's name is its holder's. Tokens of one name are one person, so a person without a name cannot have one. */
export function needsPerson(role: Role): boolean {
  return reviewRoles.includes(role);
}

export const readers: readonly Role[] = ['reviewer', 'approver', 'auditor', 'admin'];

export interface Caller {
  /** For a stored token: the first 16 hex digits of its hash. For an OIDC person: see `personId`. */
  readonly id: string;
  readonly role: Role;
  /** For a stored token: its holder's name. For an OIDC person: the provider's name for the person, else the id. */
  readonly name: string;
  readonly limits?: TokenLimits;
}

/** Whoever acts, as activities and resolutions name them: the role with its id. */
export function personOf({ role, id, name }: Caller): { readonly id: string; readonly name: string } {
  return { id: `${role}:${id}`, name };
}

/** One token's limits; null: the default of the settings. */
export interface TokenLimits {
  /** Requests per second in one process. */
  readonly perSecond: number | null;
  /** Tasks created at the risk API per UTC day; further lookups use the re-screening lane. */
  readonly perDay: number | null;
}
