export { type DatabaseAccess, grantAccess, mayMigrate, urlOfRole } from './access.ts';
export { advisoryLock, advisoryLockOf, advisoryLocksOf, type LockMode, type LockName, lockNames } from './advisory-locks.ts';
export { deleteInSteps, rowsAStep } from './delete-in-steps.ts';
export { databaseError, type PostgresErrorCode, PostgresError } from './errors.ts';
export { checkEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres, connectToRunning } from './embedded.ts';
export { type Migration, type MigrationOptions, migrate } from './migrations.ts';
export { databaseNow } from './now.ts';
export { openPool, type Pool, type PoolOptions, prepared, type Queryable, transaction } from './pool.ts';
export { openSession, type Session, sessionMigrations } from './session.ts';
