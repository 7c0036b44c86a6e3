import type { Queryable } from '@weir/postgres';
import type { Assessment } from '@weir/risk-engine';
import type { ScanQuery } from './query.ts';

export interface ScanResult {
  readonly assessment: Assessment;
  readonly scannedAtMs: number;
}

/** The result given to the caller; undefined once it is no longer stored. */
export async function findResult(db: Queryable, query: ScanQuery): Promise<ScanResult | undefined> {
  const { rows } = await db.query<{ result: Assessment; scanned_at: Date }>(
    `SELECT result, scanned_at FROM risk.runs
     WHERE chain = $1 AND kind = $2 AND subject = $3 AND direction = $4 AND state = 'done' AND scanned_at >= $5 AND scanned_at < $6
     ORDER BY scanned_at DESC LIMIT 1`,
    [
      query.chain,
      query.kind,
      query.subject,
      query.direction,
      new Date(query.scannedAt * 1000),
      // The query has whole seconds.
      new Date(query.scannedAt * 1000 + 1000),
    ],
  );
  const [row] = rows;
  return row && { assessment: row.result, scannedAtMs: row.scanned_at.getTime() };
}
