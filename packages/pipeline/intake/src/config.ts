import type { Schema } from '@weir/service-kit';

export interface IntakeSettings {
  callerTimeMaxAgeMs: number;
  callerTimeMaxAheadMs: number;
}

export const intakeSchema: Schema<IntakeSettings> = {
  callerTimeMaxAgeMs: {
    doc: 'How long before its receipt a transfer may have occurred by its caller: an older withdrawal is refused, an older deposit is remarked on',
    format: 'positive-int',
    default: 86_400_000,
    env: 'WEIR_CALLER_TIME_MAX_AGE_MS',
  },
  callerTimeMaxAheadMs: {
    doc: 'How long after its receipt a transfer may occur by its caller: a later withdrawal is refused, a later deposit is remarked on',
    format: 'positive-int',
    default: 300_000,
    env: 'WEIR_CALLER_TIME_MAX_AHEAD_MS',
  },
};
