import type { Schema } from '@weir/service-kit';

export interface IntakeSettings {
  upstreamPerDay: number;
  tokenShareOfDay: number;
  callerTimeMaxAgeMs: number;
  callerTimeMaxAheadMs: number;
}

export const intakeSchema: Schema<IntakeSettings> = {
  upstreamPerDay: {
    doc: 'Tasks that may be created at the risk API in a UTC day',
    format: 'positive-int',
    default: 10_000,
    env: 'WEIR_UPSTREAM_PER_DAY',
  },
  tokenShareOfDay: {
    doc: 'Share of WEIR_UPSTREAM_PER_DAY, in percent, that the new transfers of one token may be in a UTC day; further ones wait in the lane of re-screenings. A token made with --per-day has its own limit',
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > 100)
        throw new Error('must be a whole number from 1 to 100');
    },
    default: 100,
    env: 'WEIR_TOKEN_SHARE_OF_DAY',
  },
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
