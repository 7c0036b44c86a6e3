export { databaseError, type PostgresErrorCode, PostgresError } from './errors.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres, connectToRunning } from './embedded.ts';
export { type Migration, migrate } from './migrations.ts';
export { openPool, type Pool, type PoolOptions, prepared, type Queryable, transaction } from './pool.ts';
export { openSession, type Session, sessionMigrations } from './session.ts';
