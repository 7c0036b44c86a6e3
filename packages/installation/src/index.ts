export { type Credentials, readCredentials } from './credentials-file.ts';
export { asOwner, holdsDatabase, type OpenDatabase, openDatabase, takesGiven } from './database.ts';
export { findPermitKeySecret, permitKeySecretFile } from './permit-key-secret.ts';
export { auditDirOf, erasureJournalOf, permitJournalOf } from './places.ts';
export { findRunning, type Running } from './running.ts';
export { type InstallationSettings, installationSchema } from './settings.ts';
