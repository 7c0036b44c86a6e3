export type { Standing } from './claim.ts';
export { type IntakeSettings, intakeSchema } from './config.ts';
export { eraseTransfers, findTransferIds, findTransfersOf } from './erase.ts';
export { depositBody, withdrawalBody } from './fields.ts';
export { Intake, toldEvent } from './intake.ts';
export { isUnrecorded, rebuildFromTransfers, rebuildRequests } from './rebuild.ts';
export { type RawTransfer, rawTransferOf, toDeposit } from './raw-transfer.ts';
export { type CheckedTransfer, checkTransfer, checkWellFormed, isMalformed } from './transfer.ts';
export { intakeMigrations } from './migrations.ts';
