import type { Queryable } from '@weir/postgres';
import type { Assessment } from '@weir/risk-engine';
import { Failure } from '../failure.ts';
import type { Subject } from '../subject.ts';
import { hashKey, type KeySurface } from './keys.ts';

export interface Ticket {
  readonly keyHash: Buffer;
  readonly surface: KeySurface;
  readonly counted: boolean;
}

interface Verdict {
  readonly verdict: 'ok' | 'invalid' | 'expired' | 'second' | 'day';
  readonly retry_after: number;
  readonly [column: string]: unknown;
}

/** A key has 43 characters; a longer text is not hashed. */
const longestKey = 256;

export function ticketOf(key: string | undefined, surface: KeySurface, counted: boolean): Ticket {
  if (key === undefined || key === '' || key.length > longestKey) throw new Failure('InvalidApiKey');
  return { keyHash: hashKey(key), surface, counted };
}

/**
 * Checks a key and counts one call, in one round trip, exactly and across all replicas (see `risk.admit`). Fails with `InvalidApiKey`,
 * `ExpiredPlan`, `ExceededRateLimit`, `ExceededDailyRateLimit`.
 */
export async function admit(db: Queryable, { keyHash, surface, counted }: Ticket): Promise<void> {
  const { rows } = await db.query<Verdict>('SELECT * FROM risk.admit($1, $2, $3)', [keyHash, surface, counted]);
  letThrough(rows[0]);
}

export interface CachedScore {
  readonly result: Assessment;
  readonly scannedAt: Date;
}

export interface ScoreMoment {
  readonly since: Date;
  readonly now: Date;
  /** A watch recorded after this is not written again. */
  readonly notedSince: Date;
}

/**
 * Counts the call and, in the same round trip, reads the newest score of the subject computed after `since` and not outdated by a label.
 * It records the key's watch before it reads.
 */
export async function admitScored(db: Queryable, ticket: Ticket, subject: Subject, moment: ScoreMoment): Promise<CachedScore | undefined> {
  const { rows } = await db.query<Verdict & { run_result: Assessment | null; run_scanned_at: Date | null }>(
    'SELECT * FROM risk.admit_scored($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      ticket.keyHash,
      ticket.surface,
      subject.chain,
      subject.kind,
      subject.value,
      subject.direction,
      moment.since,
      moment.now,
      moment.notedSince,
    ],
  );
  const [row] = rows;
  letThrough(row);
  if (row === undefined || row.run_result === null || row.run_scanned_at === null) return undefined;
  return { result: row.run_result, scannedAt: row.run_scanned_at };
}

function letThrough(row: Verdict | undefined): void {
  const { verdict, retry_after: retryAfter } = row ?? { verdict: 'invalid', retry_after: 0 };
  if (verdict === 'ok') return;
  if (verdict === 'expired') throw new Failure('ExpiredPlan');
  if (verdict === 'second') throw new Failure('ExceededRateLimit', retryAfter);
  if (verdict === 'day') throw new Failure('ExceededDailyRateLimit', retryAfter);
  throw new Failure('InvalidApiKey');
}
