import type { IntakeSettings } from './config.ts';
import type { CheckedTransfer } from './transfer.ts';

/** How far a caller's time may differ from the receipt. */
export type CallerTimeSettings = Pick<IntakeSettings, 'callerTimeMaxAgeMs' | 'callerTimeMaxAheadMs'>;

/** The problem with the caller's time, for people; undefined within bounds. */
export function callerTimeProblem({ given }: CheckedTransfer, settings: CallerTimeSettings): string | undefined {
  const ageMs = given.received_at - given.occurred_at;
  if (ageMs > settings.callerTimeMaxAgeMs) return `is more than ${settings.callerTimeMaxAgeMs} ms in the past`;
  if (-ageMs > settings.callerTimeMaxAheadMs) return `is more than ${settings.callerTimeMaxAheadMs} ms ahead`;
  return undefined;
}

/** A withdrawal with such a time cannot be screened. Deposits may be backfilled, so they continue with a warning. */
export function withCallerTime(checked: CheckedTransfer, settings: CallerTimeSettings): CheckedTransfer {
  const problem = callerTimeProblem(checked, settings);
  if (problem === undefined) return checked;
  if (checked.transfer.kind === 'deposit') return { ...checked, warnings: ['CALLER_TIME_OUT_OF_BOUNDS'] };
  return {
    ...checked,
    faults: [...checked.faults, { fault: 'INVALID_TRANSFER', field: 'requested_at', detail: `requested_at ${problem}` }],
  };
}
