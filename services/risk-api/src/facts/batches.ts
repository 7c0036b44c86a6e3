import { type Pool, type Queryable, transaction } from '@weir/postgres';

/** What became of the rows given. The same rows again are all `unchanged`. */
export interface Loaded {
  /** New, or known with other content and now corrected. */
  readonly inserted: number;
  readonly unchanged: number;
  /** Not a row of a known chain with right addresses, times and numbers. */
  readonly rejected: number;
}

/** Rows in one transaction: large enough that the commit does not count, small enough to be redone in no time. */
const batchRows = 2_000;

/** Writers take turns, so that two loads cannot wait for each other's rows in opposite orders. Any number will do. */
const loadLock = 7_305_141_982n;

/**
 * Loads in batches, each in one transaction. Killed half-way, what was committed stays, and the same load again ends in the same state.
 * `parse` gives undefined for what is rejected; `store` writes a batch and returns how many rows it changed.
 */
export async function loadInBatches<Row, Parsed>(
  pool: Pool,
  rows: AsyncIterable<Row> | Iterable<Row>,
  parse: (row: Row) => { key: string; value: Parsed } | undefined,
  store: (tx: Queryable, batch: readonly Parsed[]) => Promise<number>,
): Promise<Loaded> {
  let [inserted, unchanged, rejected] = [0, 0, 0];
  let batch = new Map<string, Parsed>();
  const flush = async (): Promise<void> => {
    if (batch.size === 0) return;
    const changed = await transaction(pool, async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [loadLock]);
      return store(tx, [...batch.values()]);
    });
    inserted += changed;
    unchanged += batch.size - changed;
    batch = new Map();
  };
  for await (const row of rows) {
    const parsed = parse(row);
    if (parsed === undefined) {
      rejected += 1;
      continue;
    }
    if (batch.has(parsed.key)) unchanged += 1;
    batch.set(parsed.key, parsed.value);
    if (batch.size >= batchRows) await flush();
  }
  await flush();
  return { inserted, unchanged, rejected };
}

/** One array for each column, for `unnest`. */
export function columns<T extends object, K extends keyof T>(rows: readonly T[], names: readonly K[]): T[K][][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** A time in ISO 8601 as Unix time, or undefined when it is not one. */
export function parseTime(text: string): Date | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at);
}

/** Text that PostgreSQL can store: not empty, of a sane length, without NUL. One bad row must not fail its batch. */
export function isText(text: string): boolean {
  return text.length > 0 && text.length <= 500 && !text.includes('\0');
}
