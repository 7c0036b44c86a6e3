import type { Queryable } from './pool.ts';

export const rowsAStep = 1_000;
/** The next call deletes the rest. */
const mostSteps = 1_000;

/** Repeats a DELETE of at most `rowsAStep` rows until it finds fewer, so transactions stay short. The number of steps is bounded. */
export async function deleteInSteps(db: Queryable, statement: string, values: readonly unknown[] = []): Promise<void> {
  for (let step = 0; step < mostSteps; step += 1) {
    const { rowCount } = await db.query(statement, values);
    if ((rowCount ?? 0) < rowsAStep) return;
  }
}
