import { type IntakeSettings, intakeSchema } from '@weir/intake/config';
import type { Schema } from '@weir/service-kit';

export interface DepositIngestSettings {
  depositDeadlineMs: number;
}

export const depositIngestSchema: Schema<DepositIngestSettings & IntakeSettings> = {
  ...intakeSchema,
  depositDeadlineMs: {
    doc: 'How long after its receipt a deposit may be without a result before it is held',
    format: 'positive-int',
    default: 600_000,
    env: 'WEIR_DEPOSIT_DEADLINE_MS',
  },
};
