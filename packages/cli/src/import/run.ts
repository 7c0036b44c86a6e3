import type { LabelRow, LeftOut, Reader, SourceRecord, TransferRow } from '@weir/chain-import';
import type { ImportRun, Snapshot } from '@weir/chain-store';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { importChainRecords, migrateRiskApi } from '@weir/risk-api';
import { recordActivity } from '@weir/service-kit';
import { operator } from '../operator.ts';
import { plain } from '../output.ts';
import { openProgress } from '../progress.ts';
import { openRejected } from './rejected.ts';

interface Kinds {
  labels: LabelRow;
  transfers: TransferRow;
}

/** One import: of a file, or of a range of blocks. */
export interface Source<Row> {
  readonly key: string;
  /** For people: the file's base name, or another origin. */
  readonly name: string;
  readonly rejectedFile: string;
  readonly snapshot?: Snapshot | undefined;
  readonly read: Reader<Row>;
}

/** Counts of this run alone; an earlier run may have begun the import. */
interface Tally {
  /** The record after which reading began; undefined when the import was already finished. */
  after?: number;
  records: number;
  rows: number;
  readonly left: Map<LeftOut, number>;
}

export interface Outcome extends Readonly<Tally> {
  readonly run: ImportRun;
  readonly seconds: number;
  readonly rejectedFile: string;
}

/** Imports the rest of one source, with progress on the terminal. Aborted, it stores the records already read and returns. */
export async function runImport<K extends keyof Kinds>(
  pool: Pool,
  kind: K,
  source: Source<Kinds[K]>,
  signal: AbortSignal,
): Promise<Outcome> {
  // The risk API may never have run on this database.
  await migrateRiskApi(pool);
  const { key, name, rejectedFile } = source;
  const progress = openProgress(systemClock);
  const rejected = openRejected(rejectedFile, key);
  const tally: Tally = { records: 0, rows: 0, left: new Map() };
  const begun = systemClock.monotonic();
  try {
    const run = await importChainRecords(pool, {
      kind,
      key,
      name,
      person: operator().id,
      snapshot: source.snapshot,
      clock: systemClock,
      signal,
      read: (after) =>
        counted(source.read, after, tally, async () => {
          await rejected.startAfter(after);
          await recordImport(pool, kind, { key, name, after });
        }),
      onRejected: (row) => rejected.add(row),
      onProgress: (soFar) => progress.show(soFar.records, undefined, `${plain(name)}: ${countsOf(soFar)}`),
    });
    return { ...tally, run, seconds: (systemClock.monotonic() - begun) / 1_000, rejectedFile };
  } finally {
    progress.clear();
    rejected.close();
  }
}

/** For the audit log, before anything is stored. Labels have an event of their own. */
async function recordImport(pool: Pool, kind: keyof Kinds, of: { key: string; name: string; after: number }): Promise<void> {
  if (kind !== 'transfers') return;
  const details = { name: of.name, after_record: String(of.after) };
  const act = { action: 'transfers_imported', subjectType: 'import', subject: of.key } as const;
  await recordActivity(pool, { ...act, by: operator(), details, at: systemClock.now() });
}

async function* counted<Row>(
  read: Reader<Row>,
  after: number,
  tally: Tally,
  begin: () => Promise<void>,
): AsyncGenerator<SourceRecord<Row>, void, void> {
  await begin();
  tally.after = after;
  for await (const record of read(after)) {
    tally.records += 1;
    tally.rows += 'rows' in record ? record.rows.length : 1;
    if ('rows' in record && record.left !== undefined) tally.left.set(record.left, (tally.left.get(record.left) ?? 0) + 1);
    yield record;
  }
}

export function countsOf({ kind, inserted, unchanged, mergedUsd, rejected, ended }: ImportRun): string {
  const worth = kind === 'transfers' && unchanged > 0 ? ` (${usdWords(mergedUsd)} USD, not added again)` : '';
  return `${inserted} new, ${unchanged} known already${worth}, ${rejected} rejected${ended > 0 ? `, ${ended} ended` : ''}`;
}

/** In whole cents, cut off. */
function usdWords(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return `${BigInt(whole).toLocaleString('en')}.${fraction.padEnd(2, '0').slice(0, 2)}`;
}
