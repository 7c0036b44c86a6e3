import { advisoryLock, type Queryable } from '@weir/postgres';

/**
 * Nobody has a score yet, as before the first import: then there is nothing to be found. Last of all, for until the commit no score is stored, and one that
 * was begun before is computed again.
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
