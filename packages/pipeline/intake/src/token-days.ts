import { prepared, type Queryable } from '@weir/postgres';

/** How many new transfers each of these tokens has sent in this UTC day, to all replicas together. */
export async function transfersToday(db: Queryable, tokens: readonly string[]): Promise<Map<string, number>> {
  if (tokens.length === 0) return new Map();
  const { rows } = await db.query<{ token_id: string; transfers: number }>(
    prepared(
      `SELECT token_id, transfers FROM intake.token_days WHERE token_id = ANY($1::text[]) AND day = (now() AT TIME ZONE 'UTC')::date`,
    ),
    [tokens],
  );
  return new Map(rows.map((row) => [row.token_id, row.transfers]));
}

/** Not in the transaction that stores them: replicas that take transfers of one token would wait for each other. */
export async function countTransfers(db: Queryable, transfers: ReadonlyMap<string, number>): Promise<void> {
  if (transfers.size === 0) return;
  const tokens = [...transfers.keys()].sort();
  await db.query(
    prepared(`INSERT INTO intake.token_days AS d (token_id, day, transfers)
     SELECT u.id, (now() AT TIME ZONE 'UTC')::date, u.transfers FROM unnest($1::text[], $2::int[]) AS u(id, transfers) ORDER BY u.id
     ON CONFLICT (token_id) DO UPDATE SET day = excluded.day,
       transfers = CASE WHEN d.day = excluded.day THEN d.transfers ELSE 0 END + excluded.transfers`),
    [tokens, tokens.map((token) => transfers.get(token))],
  );
}
