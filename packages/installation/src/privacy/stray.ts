import type { Queryable } from '@weir/postgres';

/** Narrows the search; null: any. */
interface Wanted {
  /** The customer that a record names. */
  readonly userId?: string;
  /** Among these screenings. */
  readonly among?: readonly string[];
  /** Records of before then. */
  readonly before?: Date;
  /** Screenings behind this one, in their order. */
  readonly after?: string | null;
  readonly limit?: number;
}

/**
 * Screenings of records that name a customer, and that no stored transfer stands for: dead letters that never became one, and repeats that
 * came after their transfer was erased. Only the audit log and the event log have them.
 */
export async function findStray(db: Queryable, { userId, among, before, after = null, limit }: Wanted): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `WITH stray AS (
       SELECT e.screening_id, e.event_time, e.value FROM audit.entries e
       WHERE e.topic IN ('deposits.detected.dlq', 'withdrawals.requested.dlq') AND e.erased_by IS NULL AND e.screening_id IS NOT NULL
         AND NOT EXISTS (SELECT FROM intake.transfers t WHERE t.screening_id = e.screening_id)
       UNION ALL
       SELECT e.screening_id, e.event_time, e.value FROM intake.transfers t JOIN audit.entries e ON e.screening_id = t.screening_id
       WHERE t.given ? 'erased' AND e.erased_by IS NULL
         AND e.topic IN ('deposits.detected', 'withdrawals.requested', 'deposits.detected.dlq', 'withdrawals.requested.dlq'))
     SELECT DISTINCT screening_id AS id FROM stray
     WHERE ($1::bytea IS NULL OR position($1 IN value) > 0 OR position($2::bytea IN value) > 0)
       AND ($3::uuid[] IS NULL OR screening_id = ANY($3)) AND ($4::timestamptz IS NULL OR event_time < $4)
       AND ($5::uuid IS NULL OR screening_id > $5)
     ORDER BY 1 LIMIT $6`,
    [...textsOf(userId), among ?? null, before ?? null, after, limit ?? null],
  );
  return rows.map(({ id }) => id);
}

/** A record may be one that nobody can decode. As Avro writes the text, after its length, and as JSON does. */
function textsOf(userId: string | undefined): readonly (Buffer | null)[] {
  if (userId === undefined) return [null, null];
  const text = Buffer.from(userId);
  return [Buffer.concat([avroLength(text.length), text]), Buffer.from(JSON.stringify(userId))];
}

/** A zigzag varint. */
function avroLength(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length * 2; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
