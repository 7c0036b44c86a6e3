import type { IntakeSettings } from './config.ts';
import type { CheckedTransfer } from './transfer.ts';

/** How far the caller's time of a transfer may be from its receipt. */
export type CallerTimeSettings = Pick<IntakeSettings, 'callerTimeMaxAgeMs' | 'callerTimeMaxAheadMs'>;

/** What is wrong with the caller's time, for people; undefined when it is within bounds. */
export function callerTimeProblem({ given }: CheckedTransfer, settings: CallerTimeSettings): string | undefined {
  const ageMs = given.receivedAt - given.occurredAt;
  if (ageMs > settings.callerTimeMaxAgeMs) return `is more than ${settings.callerTimeMaxAgeMs} ms in the past`;
  if (-ageMs > settings.callerTimeMaxAheadMs) return `is more than ${settings.callerTimeMaxAheadMs} ms ahead`;
  return undefined;
}

/** A withdrawal with such a time cannot be screened as it is. Deposits may be backfilled: they go on with a remark. */
export function withCallerTime(checked: CheckedTransfer, settings: CallerTimeSettings): CheckedTransfer {
  const problem = callerTimeProblem(checked, settings);
  if (problem === undefined) return checked;
  if (checked.transfer.kind === 'deposit') return { ...checked, warnings: ['CALLER_TIME_OUT_OF_BOUNDS'] };
  if (checked.fault !== null) return checked;
  return { ...checked, fault: 'INVALID_TRANSFER', faultField: 'requested_at', faultDetail: `requested_at ${problem}` };
}
