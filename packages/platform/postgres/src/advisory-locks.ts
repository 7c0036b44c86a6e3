import { createHash } from 'node:crypto';

/** Migrations contain the keys, which derive from the names, so a name never changes. */
export const lockNames = [
  /** Serialises schema changes of one database. */
  'migrations',
  /** One process at a time sets the privileges of the services' roles. */
  'database-access',
  /** One process uses an embedded data folder. */
  'data-folder',
  /** Audit entries commit in the order of their indexes. */
  'audit-append',
  /** One process at a time signs a checkpoint of the audit log. */
  'audit-checkpoint',
  /** One process at a time cosigns checkpoints of other logs. */
  'audit-witness',
  /** Decisions share it; a policy change is exclusive. */
  'policy-in-force',
  /** Replicas record changed settings one after the other. */
  'settings-record',
  /** One replica at a time puts holds into cases. */
  'case-groups',
  /** Serialises decisions about one user. */
  'user-history',
  /** Admission of requests shares it; a change of results is exclusive. */
  'scoring-results',
  /** Storing a score shares it; announcing changed labels is exclusive. */
  'score-storage',
  /** One replica at a time processes changed labels. */
  'label-changes',
  /** One score run per subject starts at a time. */
  'score-run',
  /** Imports of labels and transfers store one batch at a time. */
  'chain-import',
  /** One process at a time checks published lists. */
  'label-lists',
  /** One transaction at a time changes the rollups of the console. */
  'console-rollups',
  /** Serialises a person's changes of saved views. */
  'saved-views',
  /** One gate at a time rotates the permit keys. */
  'permit-keys',
] as const;

export type LockName = (typeof lockNames)[number];

/** The first 64 bits of a hash of the name. */
export const lockKeys = Object.fromEntries(
  lockNames.map((name) => [name, createHash('sha256').update(`weir lock ${name}`).digest().readBigInt64BE()]),
) as Readonly<Record<LockName, bigint>>;

/**
 * `exclusive` and `shared` wait, and hold until the transaction ends. `try` returns whether the lock was free. `session` and `try-session`
 * hold until the connection ends.
 */
export type LockMode = 'exclusive' | 'shared' | 'try' | 'session' | 'try-session';

const functions: Readonly<Record<LockMode, string>> = {
  exclusive: 'pg_advisory_xact_lock',
  shared: 'pg_advisory_xact_lock_shared',
  try: 'pg_try_advisory_xact_lock',
  session: 'pg_advisory_lock',
  'try-session': 'pg_try_advisory_lock',
};

/** The SQL call that releases every lock of the connection's session. Without it they end some time after the connection is closed. */
export const releaseSessionLocks = 'pg_advisory_unlock_all()';

/** The SQL call that takes the lock, for a statement (`SELECT …`) or a function (`PERFORM …`). */
export function advisoryLock(name: LockName, mode: LockMode = 'exclusive'): string {
  return `${functions[mode]}(${lockKeys[name]})`;
}

/** The SQL call that locks one member until the transaction ends. `member` is an SQL expression of type text. */
export function advisoryLockOf(name: LockName, member: string): string {
  return `${functions.exclusive}(${memberKey(name, member)})`;
}

/** The statement that locks several members, in key order to prevent deadlocks. `members` is an SQL expression of type text[]. */
export function advisoryLocksOf(name: LockName, members: string): string {
  return `SELECT ${functions.exclusive}(key) FROM (SELECT DISTINCT ${memberKey(name, 'member')} AS key FROM unnest(${members}) AS member ORDER BY key) AS keys`;
}

function memberKey(name: LockName, member: string): string {
  return `hashtextextended(${member}, ${lockKeys[name]})`;
}
