/** These exports load the code of every service, which takes time. The rest of the package does without it. */
export { faultsOfSettings } from './check-settings.ts';
export { ensureCredentials } from './credentials.ts';
export { describePipeline } from './describe.ts';
export { allMigrations, migrateDatabase } from './migrate.ts';
export { type Installation, startInstallation } from './start.ts';
