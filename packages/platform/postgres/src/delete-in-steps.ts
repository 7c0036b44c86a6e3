import type { Queryable } from './pool.ts';

/** Rows that one statement of `deleteInSteps` may delete. */
export const rowsAStep = 1_000;
/** The rest is left to the next time. */
const mostSteps = 1_000;

/** Runs a DELETE of at most `rowsAStep` rows until it finds fewer, so that no transaction is long; a bounded number of times. */
export async function deleteInSteps(db: Queryable, statement: string, values: readonly unknown[] = []): Promise<void> {
  for (let step = 0; step < mostSteps; step += 1) {
    const { rowCount } = await db.query(statement, values);
    if ((rowCount ?? 0) < rowsAStep) return;
  }
}
