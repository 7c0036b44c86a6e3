import type { Queryable } from '@weir/postgres';
import { Failure } from '../failure.ts';
import { hashKey, type Surface } from './keys.ts';

interface Verdict {
  readonly verdict: 'ok' | 'invalid' | 'expired' | 'second' | 'day';
  readonly retry_after: number;
}

/** A key is 43 characters; nothing this long needs to be hashed. */
const longestKey = 256;

/**
 * Checks a key and takes one call from its limits, in one round trip, exactly and across all replicas (see `risk.admit`).
 * `counted` false checks the key alone. Returns the key's hash, which is what tasks belong to.
 * Fails with `InvalidApiKey`, `ExpiredPlan`, `ExceededRateLimit`, `ExceededDailyRateLimit`.
 */
export async function admit(db: Queryable, key: string | undefined, surface: Surface, counted: boolean): Promise<Buffer> {
  if (key === undefined || key === '' || key.length > longestKey) throw new Failure('InvalidApiKey');
  const hash = hashKey(key);
  const { rows } = await db.query<Verdict & Record<string, unknown>>('SELECT * FROM risk.admit($1, $2, $3)', [hash, surface, counted]);
  const { verdict, retry_after } = rows[0] ?? { verdict: 'invalid', retry_after: 0 };
  if (verdict === 'ok') return hash;
  if (verdict === 'expired') throw new Failure('ExpiredPlan');
  if (verdict === 'second') throw new Failure('ExceededRateLimit', retry_after);
  if (verdict === 'day') throw new Failure('ExceededDailyRateLimit', retry_after);
  throw new Failure('InvalidApiKey');
}
