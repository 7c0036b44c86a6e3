import { namingFilters } from '@weir/contracts/list-filters';
import type { Queryable } from '@weir/postgres';
import { erasedTransfer } from '@weir/service-kit';
import { formsOf } from './filter.ts';
import { subjectLength } from './migrations.ts';

/** Cases of screenings. */
export interface CasesOf {
  /** Only with these screenings. */
  readonly own: readonly string[];
  /** With other screenings too, whose people have written them. */
  readonly shared: readonly string[];
  /** Cases without an outcome. */
  readonly open: readonly string[];
}

export async function findCases(db: Queryable, screenings: readonly string[]): Promise<CasesOf> {
  const { rows } = await db.query<{ case_id: string; is_own: boolean; is_open: boolean }>(
    `SELECT c.case_id, c.outcome IS NULL AS is_open,
       NOT EXISTS (SELECT FROM console.case_screenings o JOIN console.screenings s ON s.screening_id = o.screening_id
         WHERE o.case_id = c.case_id AND o.screening_id <> ALL($1::uuid[]) AND NOT s.request ? 'erased') AS is_own
     FROM console.cases c WHERE c.case_id IN (SELECT case_id FROM console.case_screenings WHERE screening_id = ANY($1::uuid[]))`,
    [screenings],
  );
  const ids = (passes: (row: { is_own: boolean; is_open: boolean }) => boolean): string[] =>
    rows.filter(passes).map(({ case_id }) => case_id);
  return { own: ids(({ is_own }) => is_own), shared: ids(({ is_own }) => !is_own), open: ids(({ is_open }) => is_open) };
}

/** A shorter one would be found in what people wrote of others. */
const shortestWord = 3;

/** Pattern of PostgreSQL that finds each of these words alone. Undefined for none. */
export function patternOf(words: readonly string[]): string | undefined {
  const known = [...new Set(words)].filter(({ length }) => length >= shortestWord).toSorted((a, b) => b.length - a.length);
  if (known.length === 0) return undefined;
  return `(?<![[:alnum:]])(?:${known.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})(?![[:alnum:]])`;
}

const erasedResult = '{"detail_list": [], "risk_detail": [], "address_label": "", "hacking_event": "", "evidence_sha256": null}';

interface Shown {
  readonly screenings: readonly string[];
  /** Customers of them. */
  readonly users: readonly string[];
  readonly cases: CasesOf;
  /** Name the erased transfers: customer, ids, addresses. */
  readonly words: readonly string[];
  /** Of cases, for the same. */
  readonly keys: readonly string[];
}

/**
 * Erases what the console keeps of these screenings, in the transaction. Actions, levels and times stay. Of shared cases only the words go
 * that name the erased transfers. For the owner of the tables.
 */
export async function eraseShown(tx: Queryable, { screenings, users, cases, words, keys }: Shown): Promise<void> {
  const own = 'WHERE screening_id = ANY($1::uuid[])';
  await tx.query(
    `UPDATE console.screenings SET paths = NULL, result = (result || '${erasedResult}') - 'questions',
       request = request || jsonb_build_object('subject', NULL, 'erased', true, 'transfer', (request -> 'transfer' || '${erasedTransfer}') - 'source_id' - 'memo' - 'erased'
         || jsonb_build_object(kind || '_id', ''))
     ${own}`,
    [screenings],
  );
  await tx.query(
    `DELETE FROM console.rollups WHERE series = 'users' AND owner = ANY(ARRAY(SELECT left(u, ${subjectLength}) FROM unnest($1::text[]) AS u)) AND count = 0`,
    [users],
  );
  await tx.query(
    `UPDATE console.resolutions SET reason = '', answer_reason = CASE WHEN answer_reason IS NULL THEN NULL ELSE '' END ${own}`,
    [screenings],
  );
  for (const table of ['notes', 'attachments', 'deliveries']) await tx.query(`DELETE FROM console.${table} ${own}`, [screenings]);
  for (const table of ['case_notes', 'case_attachments'])
    await tx.query(`DELETE FROM console.${table} WHERE case_id = ANY($1::uuid[])`, [cases.own]);
  await tx.query(
    `UPDATE console.cases SET keys = '{}', outcome_reason = CASE WHEN outcome_reason IS NULL THEN NULL ELSE '' END WHERE case_id = ANY($1::uuid[])`,
    [cases.own],
  );
  await tx.query(
    'UPDATE console.cases SET keys = ARRAY(SELECT key FROM unnest(keys) AS key WHERE key <> ALL($2::text[])) WHERE case_id = ANY($1::uuid[])',
    [cases.shared, keys],
  );
  await eraseSavedViews(tx, words);
  const pattern = patternOf(words);
  if (pattern === undefined || cases.shared.length === 0) return;
  await tx.query(
    `UPDATE console.cases SET outcome_reason = regexp_replace(outcome_reason, $2, '[erased]', 'gi')
     WHERE case_id = ANY($1::uuid[])`,
    [cases.shared, pattern],
  );
  await tx.query(
    `UPDATE console.case_notes SET text = regexp_replace(text, $2, '[erased]', 'gi') WHERE case_id = ANY($1::uuid[]) AND text ~* $2`,
    [cases.shared, pattern],
  );
}

/** Views of lists that are filtered by one of these words, or named after one. */
async function eraseSavedViews(tx: Queryable, words: readonly string[]): Promise<void> {
  const pattern = patternOf(words);
  if (pattern !== undefined) await tx.query('DELETE FROM console.saved_views WHERE name ~* $1', [pattern]);
  const { rows } = await tx.query<{ person: string; list: string; name: string; filter: Readonly<Record<string, string>> }>(
    'SELECT person, list, name, filter FROM console.saved_views WHERE filter ?| $1::text[]',
    [namingFilters],
  );
  const exact = new Set(words);
  const erased = new Set(words.map((word) => word.toLowerCase()));
  const isErased = (field: string, text: string): boolean =>
    field === 'user_id' || field === 'source_id' ? exact.has(text) : formsOf(text).some((form) => erased.has(form.toLowerCase()));
  for (const { person, list, name, filter } of rows) {
    if (!namingFilters.some((field) => isErased(field, filter[field] ?? ''))) continue;
    await tx.query('DELETE FROM console.saved_views WHERE person = $1 AND list = $2 AND name = $3', [person, list, name]);
  }
}

/** Attachments of cases that have other screenings too. Nobody but people can say whom they are about. */
export async function findAttachments(db: Queryable, cases: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'SELECT attachment_id AS id FROM console.case_attachments WHERE case_id = ANY($1::uuid[])',
    [cases],
  );
  return rows.map(({ id }) => id);
}
