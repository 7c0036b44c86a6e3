import { changesFlows, type ImportObserver } from './observer.ts';
import { chains, listedOn } from '@weir/chains';
import { advisoryLock, type Queryable } from '@weir/postgres';
import { sanctionCategories } from '@weir/risk-engine';

/** Records what an import changed, from which the change processor finds the scores that it may have outdated. */
export const changeRecorder: ImportObserver = {
  labelsStored: async (tx) => {
    await tx.query(noteMoments, countingValues);
    if (!(await isBeforeAllScores(tx))) await tx.query(noteLabels, countingValues);
  },
  transfersStored: async (tx) => {
    if (!(await isBeforeAllScores(tx))) await tx.query(notePlaces);
  },
};

/**
 * Whether there is no score that could be outdated, as before the first import. Called last, because it blocks the storing of scores until
 * the commit. A score begun before is computed again.
 */
async function isBeforeAllScores(tx: Queryable): Promise<boolean> {
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

/** Locks a pending change until this commit, so that it is not processed before. */
const hold = 'ON CONFLICT (due_at, chain, address) WHERE NOT taken DO UPDATE SET stored_at = c.stored_at';

/** Each label once for every chain on which it applies: a sanctions listing ($3) on all chains that share the address ($1, $2). */
const counting = `
  pg_temp.stored_labels l JOIN unnest($1::text[], $2::text[]) m (chain, counts_on)
    ON m.chain = l.chain AND (m.counts_on = l.chain OR lower(l.category) = ANY ($3))`;
const countsOn = chains.flatMap((chain) => listedOn(chain).map((other) => [chain, other] as const));
const countingValues = [countsOn.map(([chain]) => chain), countsOn.map(([, other]) => other), sanctionCategories];

/** Changes in force now. The change processor finds the scores that read these labels. */
const noteLabels = `
  INSERT INTO risk.label_changes AS c (chain, address) SELECT DISTINCT m.counts_on, l.address FROM ${counting} ${hold}`;

/** Changes at the start or end of a label. The last minute counts as future, because clocks differ. */
const noteMoments = `
  INSERT INTO risk.label_changes AS c (chain, address, due_at)
  SELECT DISTINCT m.counts_on, l.address, moment.due_at FROM ${counting}
  CROSS JOIN LATERAL (VALUES (l.valid_from), (l.valid_to)) moment (due_at)
  WHERE moment.due_at > now() - interval '1 minute' ${hold}`;

/**
 * Changed places: a side, or a transaction that was incomplete. risk.expand_changed_places finds the scores that read them. The upsert
 * locks a pending place until this commit, so that it is not processed before.
 */
const notePlaces = `
  INSERT INTO risk.changed_places AS c (place)
  SELECT place FROM (
    SELECT risk.look(chain, from_address, 1) AS place FROM pg_temp.transfer_changes WHERE ${changesFlows}
    UNION SELECT risk.look(chain, to_address, 0) FROM pg_temp.transfer_changes WHERE ${changesFlows}
    UNION SELECT risk.look(chain, txid, 3) FROM pg_temp.transfer_changes WHERE txid IS NOT NULL) p
  ORDER BY place
  ON CONFLICT (place) DO UPDATE SET id = excluded.id`;
