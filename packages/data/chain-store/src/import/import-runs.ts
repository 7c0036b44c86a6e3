import type { Queryable } from '@weir/postgres';
import type { RecordKind } from './kinds.ts';

export interface ImportRun {
  readonly id: string;
  readonly key: string;
  readonly kind: RecordKind;
  /** For people: the file name or another origin. */
  readonly name: string;
  /** The number of the last stored record. */
  readonly records: number;
  /** New rows, and known rows with corrected content. */
  readonly inserted: number;
  readonly unchanged: number;
  /** Decimal: value of given transfers that merged with stored ones or with each other, and was not added again. */
  readonly mergedUsd: string;
  readonly rejected: number;
  /** Labels that a snapshot no longer had. */
  readonly ended: number;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
}

const columns = `id::text, key, kind, name, records::float8, inserted::float8, unchanged::float8, rejected::float8, ended::float8, merged_usd::text AS "mergedUsd",
  started_at AS "startedAt", updated_at AS "updatedAt", finished_at AS "finishedAt"`;

/** No installation has that many sources. */
const maxListed = 1_000;

/** Latest activity first. */
export async function listImports(db: Queryable): Promise<ImportRun[]> {
  const { rows } = await db.query<Row>(`SELECT ${columns} FROM chain.import_runs ORDER BY updated_at DESC, key LIMIT ${maxListed}`);
  return rows;
}

type Row = ImportRun & { readonly [column: string]: unknown };

/** `again`: a finished run begins anew. */
export async function openRun(
  db: Queryable,
  run: { key: string; kind: RecordKind; name: string; at: Date; again: boolean },
): Promise<ImportRun> {
  const { key, kind, name, at, again } = run;
  await db.query(
    `INSERT INTO chain.import_runs (key, kind, name, records, inserted, unchanged, rejected, started_at, updated_at)
     VALUES ($1, $2, $3, 0, 0, 0, 0, $4, $4) ON CONFLICT DO NOTHING`,
    [key, kind, name, at],
  );
  if (again)
    await db.query(
      `UPDATE chain.import_runs SET records = 0, inserted = 0, unchanged = 0, rejected = 0, merged_usd = 0, ended = 0, started_at = $2, updated_at = $2,
         finished_at = NULL
       WHERE key = $1 AND finished_at IS NOT NULL`,
      [key, at],
    );
  return only(await db.query<Row>(`SELECT ${columns} FROM chain.import_runs WHERE key = $1`, [key]), key);
}

/** Throws ImportConflict unless the run is unchanged since it was read. */
export async function advanceRun(
  db: Queryable,
  run: ImportRun,
  step: {
    records: number;
    inserted: number;
    unchanged: number;
    mergedUsd: string;
    rejected: number;
    chains: ReadonlySet<string>;
    at: Date;
  },
): Promise<ImportRun> {
  const advanced = await db.query<Row>(
    `UPDATE chain.import_runs SET records = $3, inserted = inserted + $4, unchanged = unchanged + $5, rejected = rejected + $6, updated_at = $7,
       chains = ARRAY(SELECT DISTINCT unnest(chains || $8::text[]) ORDER BY 1), merged_usd = merged_usd + $9
     WHERE key = $1 AND records = $2 AND finished_at IS NULL RETURNING ${columns}`,
    [run.key, run.records, step.records, step.inserted, step.unchanged, step.rejected, step.at, [...step.chains], step.mergedUsd],
  );
  return only(advanced, run.key);
}

export async function finishRun(db: Queryable, run: ImportRun, { at, ended }: { at: Date; ended: number }): Promise<ImportRun> {
  const finished = await db.query<Row>(
    `UPDATE chain.import_runs SET updated_at = $3, finished_at = $3, ended = $4 WHERE key = $1 AND records = $2 AND finished_at IS NULL RETURNING ${columns}`,
    [run.key, run.records, at, ended],
  );
  return only(finished, run.key);
}

/** Another process imports the same source now. Nothing is lost or counted twice; one of the two continues. */
export class ImportConflict extends Error {
  constructor(key: string) {
    super(`import ${key} is under way in another process`);
    this.name = 'ImportConflict';
  }
}

function only(result: { rows: Row[] }, key: string): ImportRun {
  const run = result.rows[0];
  if (run === undefined) throw new ImportConflict(key);
  return run;
}
