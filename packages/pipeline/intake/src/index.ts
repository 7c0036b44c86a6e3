export type { Standing } from './claim.ts';
export { type IntakeSettings, intakeSchema } from './config.ts';
export { Intake, toldEvent } from './intake.ts';
export { isUnrecorded, rebuildFromTransfers, rebuildRequests } from './rebuild.ts';
export { type CheckedTransfer, checkTransfer, isMalformed, type Malformed, type RawTransfer } from './transfer.ts';
export { intakeMigrations } from './migrations.ts';
