import type { CoSpend } from '@weir/chain-import';
import type { Chain } from '@weir/chains';
import type { Pool, Queryable } from '@weir/postgres';
import type { ImportObserver } from './observer.ts';

export interface BatchTransaction {
  readonly tx: Queryable;
  readonly client: Awaited<ReturnType<Pool['connect']>>;
  readonly observer: ImportObserver;
  /** Of the import that gives the rows. */
  readonly run?: string | undefined;
}

export interface StoredBatch {
  /** New and changed rows. */
  readonly changed: number;
  /** Decimal: value of given transfers that merged with stored ones or with each other, and was not added again. */
  readonly mergedUsd: string;
}

export interface ChainBatch<Row> {
  /** Accepted rows. */
  readonly count: number;
  /** Of rows and co-spends. */
  readonly bytes: number;
  /** Of the accepted rows. */
  readonly chains: ReadonlySet<Chain>;
  /** Returns the reason of a rejection. */
  add(row: Row): string | undefined;
  /** Likewise. */
  addCoSpend?(coSpend: CoSpend): string | undefined;
  store(on: BatchTransaction): Promise<StoredBatch>;
  /** Copies the rows into a table of the same columns, for a first load, and stores the co-spends. Only transfers have one. */
  stage?(on: BatchTransaction, table: string): Promise<void>;
}

export const nothingStored: StoredBatch = { changed: 0, mergedUsd: '0' };
