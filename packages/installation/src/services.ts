/** Whatever needs the code of the services. It loads slowly, so the rest of the package does without it. */
export { faultsOfSettings } from './check-settings.ts';
export { ensureCredentials } from './credentials.ts';
export { allMigrations, migrateDatabase } from './migrate.ts';
export { type Installation, startInstallation } from './start.ts';
