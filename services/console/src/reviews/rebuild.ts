import { publishAgain, type Rebuild } from '@weir/service-kit';
import { toEvent } from './review-service.ts';
import type { Resolution, Standing } from './standing.ts';

const batchSize = 250;

interface Row extends Resolution, Pick<Standing, 'request'>, Record<string, unknown> {
  readonly number: bigint;
}

/** Publishes approved resolutions again if decision has not applied them or the audit log lacks them. Returns their number. */
export async function rebuildResolutions(of: Rebuild): Promise<number> {
  let count = 0;
  for (let after = 0n; ; ) {
    const { rows }: { rows: Row[] } = await of.pool.query<Row>(
      `SELECT r.*, s.request FROM console.resolutions r JOIN console.screenings s ON s.screening_id = r.screening_id
       LEFT JOIN decision.screenings d ON d.screening_id = r.screening_id
       WHERE r.number > $1 AND r.answer = 'approved' AND NOT s.request ? 'erased' AND (d.revision = r.revision
         OR NOT EXISTS (SELECT FROM audit.entries a WHERE a.screening_id = r.screening_id AND a.topic = 'reviews.resolved'))
       ORDER BY r.number LIMIT $2`,
      [after, batchSize],
    );
    await publishAgain(
      of,
      'console',
      rows.map((row) => toEvent(row, row)),
    );
    count += rows.length;
    after = rows.at(-1)?.number ?? after;
    if (rows.length < batchSize) return count;
  }
}
