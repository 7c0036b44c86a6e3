import { chains } from '@weir/chains';
import { advisoryLock, type Pool, type Queryable, transaction } from '@weir/postgres';
import { statementTimeoutMs } from '../import/batches.ts';
import type { ImportObserver } from '../import/observer.ts';
import { endCopies, labelTables } from '../import/label-statements.ts';
import { inLabelledCluster, spreadLabels } from '../clusters/member-labels.ts';
import { recordChange } from '../label-changes/label-changes.ts';

/** Who corrects, and why. Kept in `chain.label_changes`. */
export interface Correction {
  readonly reason: string;
  readonly person: string;
}

export type Withdrawn = { readonly source: string } | { readonly importKey: string };

/** Labels of an address by one source; of any category if none is given. */
export interface Ended {
  readonly addresses: readonly string[];
  readonly source: string;
  readonly category: string | undefined;
  /** Default: now. */
  readonly at: Date | undefined;
}

/** The import is unknown, or the beginning of its key is that of several. */
export class UnknownImport extends Error {
  constructor(key: string) {
    super(`no import of labels, or several, begin with ${key}; "weir labels import --json" names them`);
    this.name = 'UnknownImport';
  }
}

/**
 * Takes labels back: those of a source, or those that only one import gave. They move to `chain.withdrawn_labels`, and their imports may run
 * again. Returns their number.
 */
export function withdrawLabels(pool: Pool, what: Withdrawn, why: Correction, observer: ImportObserver): Promise<number> {
  return correct(pool, 'withdraw', what, why, observer, async (tx) => {
    const runs = 'importKey' in what ? [await runOf(tx, what.importKey)] : await runsOf(tx, what.source);
    const condition = 'importKey' in what ? 'run_ids <@ $1::bigint[] AND run_ids <> ARRAY[]::bigint[]' : 'source = $2';
    const { rowCount } = await tx.query(withdraw(condition), [runs, 'source' in what ? what.source : null]);
    await tx.query(
      'UPDATE chain.labels SET run_ids = ARRAY(SELECT unnest(run_ids) EXCEPT SELECT unnest($1::bigint[])) WHERE run_ids && $1::bigint[]',
      [runs],
    );
    await tx.query('DELETE FROM chain.import_runs WHERE id = ANY ($1)', [runs]);
    await tx.query(reopenCopies);
    await tx.query(endCopies, [chains]);
    await tx.query(
      `UPDATE chain.chain_data d SET labels = d.labels - s.gone FROM (SELECT chain, count(*) AS gone FROM pg_temp.stored_labels WHERE is_gone GROUP BY chain) s
       WHERE d.chain = s.chain`,
    );
    await spreadLabels(tx);
    await tx.query(unflagEdges);
    return rowCount ?? 0;
  });
}

/** Ends labels that hold at the given time. Returns their number. */
export function endLabels(pool: Pool, what: Ended, why: Correction, observer: ImportObserver): Promise<number> {
  return correct(pool, 'end', what, why, observer, async (tx) => {
    const { addresses, source, category, at } = what;
    const { rowCount } = await tx.query(end, [chains, addresses, source, category ?? null, at ?? null]);
    await spreadLabels(tx);
    return rowCount ?? 0;
  });
}

type Work = (tx: Queryable) => Promise<number>;

function correct(
  pool: Pool,
  action: 'withdraw' | 'end',
  what: object,
  why: Correction,
  observer: ImportObserver,
  work: Work,
): Promise<number> {
  return transaction(
    pool,
    async (tx) => {
      // An import of the same labels would claim them meanwhile.
      await tx.query(`SELECT ${advisoryLock('chain-import')}`);
      await tx.query(labelTables);
      const labels = await work(tx);
      if (labels === 0) return 0;
      await recordChange(tx, { action, scope: what, ...why, labels });
      await observer.labelsStored(tx);
      return labels;
    },
    { statementTimeoutMs },
  );
}

async function runOf(tx: Queryable, key: string): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id::text FROM chain.import_runs WHERE kind = 'labels' AND starts_with(key, $1) LIMIT 2`,
    [key],
  );
  const [run, another] = rows;
  if (run === undefined || another !== undefined) throw new UnknownImport(key);
  return run.id;
}

async function runsOf(tx: Queryable, source: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>('SELECT DISTINCT unnest(run_ids)::text AS id FROM chain.labels WHERE source = $1', [
    source,
  ]);
  return rows.map(({ id }) => id);
}

const columns = 'chain, address, name, category, source, valid_from, valid_to, confidence, source_kind, authority';
const withdraw = (condition: string): string => `
  WITH gone AS (DELETE FROM chain.labels WHERE ${condition} AND ($1::bigint[] IS NOT NULL OR $2::text IS NOT NULL) RETURNING ${columns}),
  kept AS (INSERT INTO chain.withdrawn_labels (${columns}) SELECT ${columns} FROM gone)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, false, authority, true FROM gone`;

/** A copy that ended with a listing that is taken back holds again, unless another listing ended too. */
const reopenCopies = `
  WITH reopened AS (
    UPDATE chain.labels l SET valid_to = NULL FROM pg_temp.stored_labels s
    WHERE l.address = s.address AND l.authority = s.authority AND l.source_kind <> 'authority' AND l.valid_to = s.valid_to AND l.chain = ANY (SELECT chain FROM chain.chain_data)
    RETURNING l.chain, l.address, l.category, l.valid_from, l.valid_to, l.authority)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, false, authority, false FROM reopened`;

const end = `
  WITH ended AS (
    UPDATE chain.labels SET valid_to = coalesce($5::timestamptz, now())
    WHERE chain = ANY ($1) AND address = ANY ($2) AND source = $3 AND ($4::text IS NULL OR category = $4)
      AND coalesce(valid_to > coalesce($5::timestamptz, now()), true) AND coalesce(valid_from < coalesce($5::timestamptz, now()), true)
    RETURNING chain, address, category, valid_from, valid_to, authority)
  INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, false, authority, false FROM ended`;

/** The reverse of flagging: for addresses without any label left, nor one of their cluster. */
const unflagEdges = `
  UPDATE chain.edges e SET peer_labelled = false
  FROM (SELECT DISTINCT chain, address FROM pg_temp.stored_labels s WHERE is_gone
    AND NOT EXISTS (SELECT FROM chain.labels l WHERE l.chain = s.chain AND l.address = s.address)
    AND NOT ${inLabelledCluster('s.chain', 's.address')}) l
  CROSS JOIN LATERAL (SELECT o.chain, o.address, o.side, o.peer FROM chain.edges o
    WHERE left(o.address, 12) = left(l.address, 12) AND o.address = l.address AND o.chain = l.chain OFFSET 0) own
  WHERE left(e.address, 12) = left(own.peer, 12) AND hashtextextended(e.peer, 0) = hashtextextended(own.address, 0)
    AND e.chain = own.chain AND e.address = own.peer AND e.side = 1 - own.side AND e.peer = own.address AND e.peer_labelled`;
