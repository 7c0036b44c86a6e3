import type { Clock, KeyedSignal } from '@weir/clock';
import type { Intake } from '@weir/intake';
import type { Pool } from '@weir/postgres';
import type { Access, Metrics } from '@weir/service-kit';
import type { Availability } from '../availability.ts';
import type { Issuing } from '../permits/issue.ts';
import type { Keyring } from '../permits/keyring.ts';

/** What the routes stand on. */
export interface Gate {
  readonly pool: Pool;
  readonly access: Access;
  readonly clock: Clock;
  readonly intake: Intake;
  readonly waiters: KeyedSignal;
  readonly availability: Availability;
  readonly keyring: Keyring;
  readonly issuing: Issuing;
  readonly metrics: Metrics;
  /** Aborted when the gate goes down: nobody waits any longer. */
  readonly stopping: AbortSignal;
}

/** Longest that a request waits for the database, the log or Redis together; then it is 503. */
export const answerLimitMs = 5_000;

/** Longer for what is done and not only looked at: who is told 503 does not know whether the permit is used. */
export const redeemLimitMs = 10_000;
