import type { SourceRecord } from '@weir/chain-import';
import type { Clock } from '@weir/clock';
import { advisoryLock, type Pool, type Queryable, transaction } from '@weir/postgres';
import { recordChange } from '../label-changes/label-changes.ts';
import { confirmLabels } from './chain-data.ts';
import { readBatches, type RecordBatch, type Rejected, statementTimeoutMs, storeBatch, storeBatches } from './batches.ts';
import type { StoredBatch } from './chain-batch.ts';
import { FirstLoad, type ImportedPart } from './first-load/first-load.ts';
import { advanceRun, finishRun, ImportConflict, type ImportRun, openRun } from './import-runs.ts';
import type { RecordKind, RecordRows } from './kinds.ts';
import type { ImportObserver } from './observer.ts';
import { endAbsent, type Snapshot } from './snapshot.ts';

export interface ImportOptions<K extends RecordKind> {
  readonly kind: K;
  /** Identifies the source and every option that decides its rows. An import with the same key runs once. */
  readonly key: string;
  readonly name: string;
  /** Labels only: who imports them. Left out: Weir itself. */
  readonly person?: string;
  readonly observer: ImportObserver;
  /** Labels only. A snapshot runs again whenever it is asked for, because another may have come between. */
  readonly snapshot?: Snapshot | undefined;
  readonly clock: Clock;
  /** Aborted: stores the records already read and returns unfinished. The next import continues there. */
  readonly signal?: AbortSignal;
  /** The records numbered above `after`, in rising order. A source that waits sets its own limits. */
  readonly read: (after: number) => AsyncIterable<SourceRecord<RecordRows[K]>>;
  /** Called before the commit: after a kill the rejections of the open batch are reported again. */
  readonly onRejected: (rejected: Rejected) => void | Promise<void>;
  /** Rows of a batch, in bytes of COPY. Default: 48 MiB. */
  readonly batchBytes?: number;
  /** At most four times a second. */
  readonly onProgress?: (soFar: ImportRun) => void;
}

const progressMs = 250;
/** New rows after which the planner's statistics are outdated. */
const analyseFrom = 10_000;

/**
 * Imports a source exactly once: a batch's rows, their sums and the progress share a transaction. Throws the source's error after storing
 * the records before it. Throws ImportConflict when another process imports the same key, and TooManyRemovals.
 */
export async function importChainRecords<K extends RecordKind>(pool: Pool, options: ImportOptions<K>): Promise<ImportRun> {
  const { kind, key, name, observer, clock, signal, read, onRejected } = options;
  const now = (): Date => new Date(clock.now());
  const opened = await openRun(pool, { key, kind, name, at: now(), again: options.snapshot !== undefined });
  if (opened.finishedAt !== null) {
    if (kind === 'labels') await confirmLabels(pool, key);
    return opened;
  }
  if (signal?.aborted) return opened;
  let run = opened;
  const tell = atIntervals(clock, options.onProgress);
  const advance = async (tx: Queryable, part: ImportedPart, { changed, mergedUsd }: StoredBatch): Promise<void> => {
    const { through: records, rejected, rows, chains } = part;
    run = await advanceRun(tx, run, { records, inserted: changed, unchanged: rows - changed, mergedUsd, rejected, chains, at: now() });
  };
  const firstLoad = kind === 'transfers' ? await FirstLoad.open(pool, { run, observer, advance }) : undefined;
  const after = firstLoad?.through ?? run.records;
  const { batchBytes } = options;
  const batches = readBatches({ kind, records: read(after), after, before: firstLoad?.rows ?? 0, batchBytes, clock, signal, onRejected });
  const store = async (batch: RecordBatch<K>): Promise<void> => {
    if ((await firstLoad?.add(batch)) === true) return tell({ ...run, records: batch.through });
    const part = { ...batch, rows: batch.rows.count, chains: batch.rows.chains };
    await storeBatch(pool, batch, {
      observer,
      run: run.id,
      within: async (stored, tx) => {
        // A crash of PostgreSQL loses the last batches with their progress, and they are read again.
        await tx.query('SET LOCAL synchronous_commit = off');
        await advance(tx, part, stored);
      },
    });
    tell(run);
  };
  try {
    await storeBatches(batches, store);
  } catch (error) {
    if (!(error instanceof ImportConflict)) await firstLoad?.finish();
    throw error;
  }
  await firstLoad?.finish();
  if (run.inserted - opened.inserted >= analyseFrom) await analyse(pool);
  if (signal?.aborted) return run;
  return kind === 'labels' ? finishLabels(pool, run, options) : finishRun(pool, run, { at: now(), ended: 0 });
}

/** One transaction: a kill before it leaves the run unfinished, and the next import ends the labels. */
function finishLabels(pool: Pool, run: ImportRun, options: ImportOptions<RecordKind>): Promise<ImportRun> {
  const { key, name, snapshot, observer, clock, person } = options;
  const by = person === undefined ? {} : { person };
  return transaction(
    pool,
    async (tx) => {
      await tx.query(`SELECT ${advisoryLock('chain-import')}`);
      const ended = snapshot === undefined ? 0 : await endAbsent(tx, run, snapshot);
      const scope = { importKey: key, name };
      await recordChange(tx, { action: 'import', scope, labels: run.inserted, ...by });
      if (ended > 0)
        await recordChange(tx, { action: 'snapshot', scope: { ...scope, at: snapshot?.asOf ?? run.startedAt }, labels: ended, ...by });
      if (ended > 0) await observer.labelsStored(tx);
      return finishRun(tx, run, { at: new Date(clock.now()), ended });
    },
    { statementTimeoutMs },
  );
}

async function analyse(pool: Pool): Promise<void> {
  for (const table of ['labels', 'transfers', 'edges', 'sides', 'address_stats', 'clusters', 'cluster_members', 'cluster_labels'])
    await pool.query(`ANALYZE chain.${table}`);
}

function atIntervals(clock: Clock, tell: ((run: ImportRun) => void) | undefined): (run: ImportRun) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (run) => {
    if (tell === undefined || clock.monotonic() - last < progressMs) return;
    last = clock.monotonic();
    tell(run);
  };
}
