import type { SourceKind } from '@weir/chain-import';
import type { Queryable } from '@weir/postgres';

/** The labels of one source. */
export interface LabelSource {
  readonly source: string;
  readonly source_kind: SourceKind;
  readonly labels: number;
  /** Those that hold now. */
  readonly in_force: number;
  /** The latest import that gave one of them. */
  readonly imported_at: Date | null;
}

type Row = LabelSource & { readonly [column: string]: unknown };

/** The largest first. Reads all labels, so not for each request. */
export async function labelSources(db: Queryable, limit: number): Promise<LabelSource[]> {
  const { rows } = await db.query<Row>(
    `SELECT s.source, s.source_kind, s.labels, s.in_force, r.updated_at AS imported_at
     FROM (
       SELECT source, source_kind, count(*)::float8 AS labels, max((SELECT max(id) FROM unnest(run_ids) AS id)) AS run,
         count(*) FILTER (WHERE coalesce(valid_from <= now(), true) AND coalesce(valid_to > now(), true))::float8 AS in_force
       FROM chain.labels GROUP BY source, source_kind) AS s
     LEFT JOIN chain.import_runs r ON r.id = s.run
     ORDER BY s.labels DESC, s.source LIMIT $1`,
    [limit],
  );
  return rows;
}
