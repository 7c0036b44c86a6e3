import type { Queryable } from '@weir/postgres';

/** Erases transfers of these screenings in the transaction. Id and kind stay, so that a repeat is not screened again. For the owner of the table. */
export async function eraseTransfers(tx: Queryable, screenings: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE intake.transfers SET given = '{"erased": true}', request = jsonb_build_object('kind', kind, 'erased', true)
     WHERE screening_id = ANY($1::uuid[])`,
    [screenings],
  );
}

/** Those of the screenings whose transfers are not erased. */
export async function findTransferIds(db: Queryable, screenings: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ screening_id: string }>(
    `SELECT screening_id FROM intake.transfers WHERE screening_id = ANY($1::uuid[]) AND NOT given ? 'erased'`,
    [screenings],
  );
  return rows.map(({ screening_id }) => screening_id);
}

interface Page {
  readonly last: string | null;
  readonly found: string[] | null;
  readonly n: bigint;
}

/** Rows read at once: the table has no index by user. */
const pageSize = 20_000;

/** Screenings of the user's transfers that are not erased. Reads the whole table, page by page. */
export async function findTransfersOf(db: Queryable, userId: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: Page[] } = await db.query(
      `SELECT max(p.screening_id::text) AS last, count(*) AS n, array_agg(p.screening_id::text) FILTER (WHERE p.is_own) AS found FROM (
         SELECT screening_id, request -> 'transfer' ->> 'user_id' = $2 OR given ->> 'user_id' = $2 AS is_own FROM intake.transfers
         WHERE $1::uuid IS NULL OR screening_id > $1 ORDER BY screening_id LIMIT ${pageSize}) AS p`,
      [after, userId],
    );
    const page: Page | undefined = rows[0];
    found.push(...(page?.found ?? []));
    after = page?.last ?? null;
    if (page === undefined || Number(page.n) < pageSize) return found;
  }
}
