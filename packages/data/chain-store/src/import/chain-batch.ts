import type { Pool, Queryable } from '@weir/postgres';
import type { CopyLines } from './copy.ts';
import type { ImportObserver } from './observer.ts';

export interface BatchTransaction {
  readonly tx: Queryable;
  readonly client: Awaited<ReturnType<Pool['connect']>>;
  readonly observer: ImportObserver;
}

export interface ChainBatch<Row> {
  readonly lines: Pick<CopyLines, 'count' | 'bytes'>;
  /** Of the accepted rows. */
  readonly chains: ReadonlySet<string>;
  /** Returns the reason of a rejection. */
  add(row: Row): string | undefined;
  /** Returns how many rows were new or changed. */
  store(on: BatchTransaction): Promise<number>;
}
