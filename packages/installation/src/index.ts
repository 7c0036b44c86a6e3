export { faultsOfSettings } from './check-settings.ts';
export { type Credentials, ensureCredentials, readCredentials } from './credentials.ts';
export { asOwner, holdsDatabase, type OpenDatabase, openDatabase } from './database.ts';
export { allMigrations, migrateDatabase } from './migrate.ts';
export { findPermitKeySecret, permitKeySecretFile } from './permit-key-secret.ts';
export { findRunning, type Running } from './running.ts';
export { type InstallationSettings, installationSchema } from './settings.ts';
export { type Installation, startInstallation } from './start.ts';
