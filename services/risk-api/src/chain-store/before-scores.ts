import { advisoryLock, type Queryable } from '@weir/postgres';

/**
 * Whether there is no score that could be outdated, as before the first import. Called last, because it blocks the storing of scores until
 * the commit. A score begun before is computed again.
 */
export async function isBeforeAllScores(tx: Queryable): Promise<boolean> {
  const isSo = async (): Promise<boolean> => {
    const { rows } = await tx.query<{ none: boolean }>('SELECT NOT EXISTS (SELECT FROM risk.reached) AS none');
    return rows[0]?.none === true;
  };
  if (!(await isSo())) return false;
  await tx.query(`SELECT ${advisoryLock('score-storage')}`);
  if (!(await isSo())) return false;
  await tx.query('UPDATE risk.label_state SET version = version + 1');
  return true;
}
