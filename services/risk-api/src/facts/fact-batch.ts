import type { Pool, Queryable } from '@weir/postgres';
import type { CopyLines } from './copy.ts';

/** One transaction, and the connection it runs on. */
export interface BatchTransaction {
  readonly tx: Queryable;
  readonly client: Awaited<ReturnType<Pool['connect']>>;
}

/** Facts that are written together. */
export interface FactBatch<Row> {
  readonly lines: Pick<CopyLines, 'count' | 'bytes'>;
  /** Of the rows that were taken in. */
  readonly chains: ReadonlySet<string>;
  /** Takes a row in, or says what is wrong with it. */
  add(row: Row): string | undefined;
  /** Writes them, whether known or not, and what follows from them. Returns how many were new or changed. */
  store(on: BatchTransaction): Promise<number>;
}
