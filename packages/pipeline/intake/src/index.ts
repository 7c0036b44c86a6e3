export { intakeMigrations, type Standing } from './claim.ts';
export { type IntakeSettings, intakeSchema } from './config.ts';
export { Intake } from './intake.ts';
export { type CheckedTransfer, checkTransfer, isMalformed, type Malformed, type RawTransfer } from './transfer.ts';
