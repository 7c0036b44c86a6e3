import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { download, type LabelRow, ListError, type PublishedList, type Reader, readSanctionsList } from '@weir/chain-import';
import {
  addLabelLists,
  type ImportRun,
  type LabelList,
  readLabelLists,
  recordCheck,
  recordFailure,
  TooManyRemovals,
} from '@weir/chain-store';
import { backoff, type Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { Job } from '@weir/service-kit';
import { importChainRecords } from '../score-changes/imports.ts';

export interface SyncListOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Who asked for it. Left out: Weir itself, in its interval. */
  readonly person?: string;
  /** A file in place of the list's address. */
  readonly file?: string | undefined;
  /** Expected SHA-256 of the file, in hex. */
  readonly sha256?: string | undefined;
  /** Labels that may end; default: the snapshot's own limit. */
  readonly allowRemovals?: number | undefined;
  /** Milliseconds until the next check. */
  readonly intervalMs: number;
  readonly limits?: { readonly limitMs?: number; readonly largestBytes?: number };
  readonly onRejected: (rejected: { readonly number: number; readonly reason: string; readonly text: string }) => void;
}

/** `unchanged`: the labels are from this very file. */
export interface SyncedList {
  readonly outcome: 'changed' | 'unchanged';
  readonly sha256: string;
  /** Addresses that became labels. */
  readonly addresses: number;
  /** Addresses on chains that Weir does not know, by the list's code of the coin. */
  readonly unknown: Readonly<Record<string, number>>;
  readonly run: ImportRun;
}

interface ListFile {
  readonly path: string;
  readonly url: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly sha256: string;
}

/** Its checks, by whichever process. */
export function listJob({ name }: PublishedList, everyMs: number): Job {
  return { service: 'weir', name: `label-list ${name}`, everyMs };
}

/** After the first failure; doubles up to the interval. */
const firstRetryMs = 300_000;

/**
 * Takes over the current file of a list: labels that it no longer has end. Throws ListError and other errors with the labels unchanged,
 * but for a kill or an abort in the middle: then the next call goes on. The caller holds the lock `label-lists`.
 */
export async function syncList(list: PublishedList, options: SyncListOptions): Promise<SyncedList> {
  const { pool, clock, intervalMs, signal } = options;
  await addLabelLists(pool, [list.name], new Date(clock.now()));
  const [before] = await readLabelLists(pool, [list.name]);
  const folder = await mkdtemp(join(tmpdir(), 'weir-list-'));
  try {
    return await takeOver(list, before, join(folder, 'list'), options);
  } catch (error) {
    if (signal?.aborted !== true) {
      const next =
        clock.now() + backoff((before?.failures ?? 0) + 1, { firstMs: Math.min(firstRetryMs, intervalMs), longestMs: intervalMs });
      await recordFailure(pool, list.name, wordsOf(error), new Date(next));
    }
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function takeOver(list: PublishedList, before: LabelList | undefined, path: string, options: SyncListOptions): Promise<SyncedList> {
  const { pool, clock, intervalMs } = options;
  const held = before?.is_imported === true ? before : undefined;
  const file = await currentFile(list, held, path, options);
  if (options.sha256 !== undefined && options.sha256.toLowerCase() !== file.sha256)
    throw new ListError('HASH', `the file has the SHA-256 ${file.sha256}, not the expected one`);
  const isChanged = held?.sha256 !== file.sha256;
  const read = readSanctionsList(file.path, list.format, list.options);
  const counts = isChanged ? await examine(read, list, before?.labels ?? 0) : { addresses: held?.labels ?? 0, unknown: {} };
  const import_key = keyOf(list.name, file.sha256);
  const run = await importFile(list, { read, import_key, isChanged }, options);
  if (options.signal?.aborted === true) throw new Error('stopped; the next check goes on');
  const { url, etag, last_modified, sha256 } = file;
  const at = clock.now();
  const checked = { url, etag, last_modified, sha256, import_key, labels: counts.addresses, isChanged };
  await recordCheck(pool, list.name, checked, { at: new Date(at), next: new Date(at + intervalMs) });
  return { outcome: isChanged ? 'changed' : 'unchanged', sha256, ...counts, run };
}

/** The given file, the publisher's, or the one that the labels are from. */
async function currentFile(list: PublishedList, held: LabelList | undefined, path: string, options: SyncListOptions): Promise<ListFile> {
  const { file, clock, signal, limits } = options;
  if (file !== undefined) {
    await stat(file);
    return { path: file, url: null, etag: null, last_modified: null, sha256: await hashOf(file) };
  }
  const known = held?.url === list.url ? held : undefined;
  const fetched = await download({ url: list.url, path, known, clock, signal, ...limits });
  if (fetched !== undefined) return { path, url: list.url, ...fetched };
  const { etag, last_modified, sha256 } = known ?? { etag: null, last_modified: null, sha256: null };
  return { path, url: list.url, etag, last_modified, sha256: sha256 ?? '' };
}

/** Reads the whole file before any label is stored: a part of a list, or a page of a proxy, must not change labels. */
async function examine(read: Reader<LabelRow>, list: PublishedList, held: number): Promise<Pick<SyncedList, 'addresses' | 'unknown'>> {
  let addresses = 0;
  const unknown: Record<string, number> = {};
  try {
    for await (const record of read(0)) {
      if (!('rows' in record)) continue;
      if (record.rows.length > 0) addresses += 1;
      const asset = record.left?.replace('unknown chain ', '');
      if (asset !== undefined) unknown[asset] = (unknown[asset] ?? 0) + 1;
    }
  } catch (error) {
    throw new ListError('NOT_THE_LIST', `the file is not a whole ${list.format}: ${(error as Error).message.slice(0, 300)}`, {
      cause: error,
    });
  }
  if (addresses === 0 && (list.hasAddresses || held > 0)) throw new ListError('NO_ADDRESSES', 'the file has no address that Weir can use');
  return { addresses, unknown };
}

/** Without a snapshot an import that is done confirms its labels and reads nothing. */
async function importFile(
  list: PublishedList,
  { read, import_key, isChanged }: { read: Reader<LabelRow>; import_key: string; isChanged: boolean },
  { pool, clock, signal, person, allowRemovals, onRejected }: SyncListOptions,
): Promise<ImportRun> {
  try {
    return await importChainRecords(pool, {
      kind: 'labels',
      key: import_key,
      name: list.name,
      ...(person === undefined ? {} : { person }),
      ...(isChanged ? { snapshot: allowRemovals === undefined ? {} : { allowRemovals } } : {}),
      clock,
      ...(signal === undefined ? {} : { signal }),
      read,
      onRejected,
    });
  } catch (error) {
    if (error instanceof TooManyRemovals) throw new ListError('SHRUNKEN', error.message, { cause: error });
    throw error;
  }
}

const keyOf = (name: string, sha256: string): string => createHash('sha256').update(`published list ${name} ${sha256}`).digest('hex');

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

const longestError = 500;

/** For the table and people. */
function wordsOf(error: unknown): string {
  const { message } = error as Error;
  return `${error instanceof ListError ? `${error.code}: ` : ''}${message}`.slice(0, longestError).toWellFormed();
}
