/**
 * Database errors, each shown to the operator as one line.
 *
 * | Code | Retriable | Remedy |
 * |---|---|---|
 * | `DATA_FOLDER_IN_USE` | no | stop the other instance, or give another folder |
 * | `DATA_FOLDER_VERSION` | no | use the Weir that wrote the folder, or another folder |
 * | `DATA_FOLDER_UNUSABLE` | no | see the message: rights, or not a folder |
 * | `DISK_FULL` | yes | free space and start again; nothing acknowledged is lost |
 * | `POSTGRES_FAILED` | no | see PostgreSQL's own log in the data folder |
 * | `DATABASE_UNAVAILABLE` | yes | the database cannot be reached |
 * | `MIGRATION_MISSING` | no | run `weir migrate` as the owner of the database, then start again |
 * | `ROLE_MISSING` | no | create the roles of the services, see docs/security.md |
 * | `MIGRATION_BLOCKED` | yes | see the message: end the other process or the long transaction, and start again |
 */
export type PostgresErrorCode =
  | 'DATA_FOLDER_IN_USE'
  | 'DATA_FOLDER_VERSION'
  | 'DATA_FOLDER_UNUSABLE'
  | 'DISK_FULL'
  | 'POSTGRES_FAILED'
  | 'DATABASE_UNAVAILABLE'
  | 'MIGRATION_BLOCKED'
  | 'MIGRATION_MISSING'
  | 'ROLE_MISSING';

export class PostgresError extends Error {
  readonly code: PostgresErrorCode;
  readonly retriable: boolean;

  constructor(code: PostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PostgresError';
    this.code = code;
    this.retriable = code === 'DISK_FULL' || code === 'DATABASE_UNAVAILABLE' || code === 'MIGRATION_BLOCKED';
  }
}

/** The SQLSTATE or errno of a failed query; undefined for other errors. */
function stateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

const unavailable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Shut down, crashed, not up yet, too many connections.
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** Names the errors that an operator can act on; returns every other error unchanged. */
export function databaseError(error: unknown): unknown {
  const state = stateOf(error);
  if (state === '53100' || state === 'ENOSPC') {
    return new PostgresError('DISK_FULL', 'the disk is full: PostgreSQL could not write', { cause: error });
  }
  if (state !== undefined && (unavailable.has(state) || state.startsWith('08'))) {
    return new PostgresError('DATABASE_UNAVAILABLE', 'the database cannot be reached', { cause: error });
  }
  return error;
}
