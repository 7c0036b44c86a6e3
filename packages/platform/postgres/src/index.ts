export { type CombinedRoles, type DatabaseAccess, grantAccess, mayMigrate, urlOfRole } from './access.ts';
export {
  advisoryLock,
  advisoryLockOf,
  advisoryLocksOf,
  type LockMode,
  type LockName,
  lockNames,
  releaseSessionLocks,
} from './advisory-locks.ts';
export { pruneBackups, takeBackup } from './backup/backup.ts';
export { backupFolderOf, type BaseBackup, listBackups, setBackupFolder } from './backup/folder.ts';
export { restoreBackup, type RestoreTarget } from './backup/restore.ts';
export { jsonArray } from './binary-array.ts';
export { Claims, type Claimed, type ClaimsOptions } from './claims.ts';
export { deleteInSteps, rowsAStep } from './delete-in-steps.ts';
export { databaseError, type PostgresErrorCode, PostgresError } from './errors.ts';
export { checkEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres, connectToRunning } from './embedded.ts';
export { mayRunOn, type Migration, type MigrationOptions, migrate } from './migrate.ts';
export { sessionMigrations } from './migrations.ts';
export { databaseNow } from './now.ts';
export { openPool, type Pool, type PoolOptions, prepared, type Queryable, transaction } from './pool.ts';
export { openSession, type Session } from './session.ts';
