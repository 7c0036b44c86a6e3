import type { Clock, KeyedSignal } from '@weir/clock';
import type { Intake } from '@weir/intake';
import type { Pool } from '@weir/postgres';
import type { Callers } from '@weir/service-kit';
import type { Availability } from '../availability.ts';
import type { GateMetrics } from '../metrics.ts';
import type { Issuing } from '../permits/issue.ts';
import type { Journal } from '../journal/journal.ts';
import type { Keyring } from '../permits/keyring.ts';

export interface Gate {
  readonly pool: Pool;
  readonly access: Callers;
  readonly clock: Clock;
  readonly intake: Intake;
  readonly waiters: KeyedSignal;
  readonly availability: Availability;
  readonly keyring: Keyring;
  readonly issuing: Issuing;
  /** Has each redemption before an answer tells of it. */
  readonly journal: Journal | undefined;
  readonly metrics: GateMetrics;
  /** Aborted at shutdown, which ends all waits. */
  readonly stopping: AbortSignal;
}

/** Limit of a request's wait for database, log and Redis together; then it gets 503. */
export const answerLimitMs = 5_000;

/** Longer, because after a 503 the caller does not know whether the permit was redeemed. */
export const redeemLimitMs = 10_000;

/** The gate allows nothing for now. */
export const closed = {
  DECISIONS_UNREAD: [503, 'The gate has not read the latest decisions. Try again.'],
  NOT_RECONCILED: [503, 'The database was restored, and `weir reconcile` has not ended since. Try again.'],
} as const;
