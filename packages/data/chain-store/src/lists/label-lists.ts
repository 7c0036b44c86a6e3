import type { Queryable } from '@weir/postgres';

/** The checks of one published list. Times are those of the process that checked. */
export interface LabelList {
  readonly name: string;
  /** First enabled or checked. */
  readonly created_at: Date;
  /** The last success, whether or not the list had changed. */
  readonly checked_at: Date | null;
  readonly changed_at: Date | null;
  readonly next_at: Date;
  readonly url: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  /** Of the file that the labels are from. */
  readonly sha256: string | null;
  /** False: the import of that file was taken back, or never ended. */
  readonly is_imported: boolean;
  readonly labels: number;
  /** Since the last success. */
  readonly failures: number;
  readonly error: string | null;
}

export interface CheckedList {
  readonly url: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly sha256: string;
  readonly import_key: string;
  readonly labels: number;
  readonly isChanged: boolean;
}

export const labelLists = `
  -- The published sanctions lists that are kept fresh.
  CREATE TABLE chain.label_lists (
    name text COLLATE "C" PRIMARY KEY, created_at timestamptz NOT NULL, checked_at timestamptz, changed_at timestamptz, next_at timestamptz NOT NULL,
    url text, etag text, last_modified text, sha256 text, import_key text, labels bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0, error text)`;

type Row = LabelList & { readonly [column: string]: unknown };

/** Those of the lists that were ever enabled or checked. */
export function readLabelLists(db: Queryable, names: readonly string[]): Promise<LabelList[]> {
  return readLists(db, names);
}

export function allLabelLists(db: Queryable): Promise<LabelList[]> {
  return readLists(db, null);
}

async function readLists(db: Queryable, names: readonly string[] | null): Promise<LabelList[]> {
  const { rows } = await db.query<Row>(
    `SELECT l.name, l.created_at, l.checked_at, l.changed_at, l.next_at, l.url, l.etag, l.last_modified, l.sha256, l.labels::float8, l.failures, l.error,
       r.finished_at IS NOT NULL AS is_imported
     FROM chain.label_lists l LEFT JOIN chain.import_runs r ON r.key = l.import_key WHERE $1::text[] IS NULL OR l.name = ANY ($1) ORDER BY l.name`,
    [names],
  );
  return rows;
}

export async function addLabelLists(db: Queryable, names: readonly string[], at: Date): Promise<void> {
  await db.query('INSERT INTO chain.label_lists (name, created_at, next_at) SELECT unnest($1::text[]), $2, $2 ON CONFLICT DO NOTHING', [
    names,
    at,
  ]);
}

export async function recordCheck(db: Queryable, name: string, list: CheckedList, times: { at: Date; next: Date }): Promise<void> {
  const { url, etag, last_modified, sha256, import_key, labels, isChanged } = list;
  await db.query(
    `UPDATE chain.label_lists SET checked_at = $2, next_at = $3, url = $4, etag = $5, last_modified = $6, sha256 = $7, import_key = $8, labels = $9,
       changed_at = CASE WHEN $10 THEN $2 ELSE changed_at END, failures = 0, error = NULL WHERE name = $1`,
    [name, times.at, times.next, url, etag, last_modified, sha256, import_key, labels, isChanged],
  );
}

export async function recordFailure(db: Queryable, name: string, error: string, next: Date): Promise<void> {
  await db.query('UPDATE chain.label_lists SET failures = failures + 1, error = $2, next_at = $3 WHERE name = $1', [name, error, next]);
}
