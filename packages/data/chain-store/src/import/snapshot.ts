import { chains } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { spreadLabels } from '../clusters/member-labels.ts';
import type { ImportRun } from './import-runs.ts';
import { endCopies, labelTables } from './label-statements.ts';

/** The file is the whole of its sources. */
export interface Snapshot {
  /** From when on absent labels do not hold. Default: the beginning of the import. */
  readonly asOf?: Date;
  /** Labels that may end. Default: a fifth of those that hold. */
  readonly allowRemovals?: number;
}

/** A part of a list looks like a list that lost the rest. */
const usualShare = 0.2;

/** Too many labels would end. The rows of the file are stored; the same import with a higher limit goes on. */
export class TooManyRemovals extends Error {
  constructor(absent: number, held: number, allowed: number) {
    super(
      `${absent} of ${held} labels of these sources are not in the file, and ${allowed} may end; ` +
        `is the file whole? If so: --allow-removals ${absent}`,
    );
    this.name = 'TooManyRemovals';
  }
}

/**
 * Ends the labels that the run's sources gave before and that the run did not. The sources are those of its labels; an authority's own
 * list is one source. Leaves the ended labels in `pg_temp.stored_labels`. Returns their number.
 */
export async function endAbsent(tx: Queryable, run: ImportRun, { asOf = run.startedAt, allowRemovals }: Snapshot): Promise<number> {
  await tx.query(labelTables);
  const { rows } = await tx.query<{ held: number; absent: number }>(
    `${labelsOfSources} SELECT count(*)::float8 AS held, count(*) FILTER (WHERE is_absent)::float8 AS absent FROM held`,
    [run.id, asOf],
  );
  const { held = 0, absent = 0 } = rows[0] ?? {};
  const allowed = allowRemovals ?? Math.floor(held * usualShare);
  if (absent > allowed) throw new TooManyRemovals(absent, held, allowed);
  if (absent === 0) return 0;
  await tx.query(
    `${labelsOfSources},
     ended AS (UPDATE chain.labels l SET valid_to = $2 FROM held h WHERE h.is_absent AND l.ctid = h.place
       RETURNING l.chain, l.address, l.category, l.valid_from, l.valid_to, l.authority)
     INSERT INTO pg_temp.stored_labels SELECT chain, address, category, valid_from, valid_to, false, authority, false FROM ended`,
    [run.id, asOf],
  );
  await tx.query(endCopies, [chains]);
  await spreadLabels(tx);
  return absent;
}

/** `held`: those that hold at $2. $1: the run. */
const labelsOfSources = `
  WITH given AS MATERIALIZED (SELECT DISTINCT source, source_kind, authority FROM chain.labels WHERE run_ids @> ARRAY[$1::bigint]),
  held AS MATERIALIZED (
    SELECT l.ctid AS place, NOT l.run_ids @> ARRAY[$1::bigint] AS is_absent FROM chain.labels l
    WHERE (l.source IN (SELECT source FROM given)
        OR l.source_kind = 'authority' AND l.authority IN (SELECT authority FROM given WHERE source_kind = 'authority'))
      AND coalesce(l.valid_from < $2, true) AND coalesce(l.valid_to > $2, true))`;
