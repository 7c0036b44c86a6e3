import { ListError, type PublishedList } from '@weir/chain-import';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import {
  enabledLists,
  keepListsFresh,
  keepRequestsApplied,
  listJob,
  listNamed,
  migrateRiskApi,
  type SyncedList,
  syncList,
  whileLocked,
  withUrl,
} from '@weir/risk-api';
import { createLogger, Jobs } from '@weir/service-kit';
import { lineOf, UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { asked, checkFiles } from '../import/check-flags.ts';
import { rejectedFileOf } from '../import/import-each.ts';
import { openRejected } from '../import/rejected.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, plain, printJson } from '../output.ts';
import type { AllSettings } from '../settings.ts';

interface SyncFlags extends PlaceFlags {
  readonly file?: ReadonlyMap<string, string>;
  readonly sha256?: ReadonlyMap<string, string>;
  readonly allowRemovals?: number;
  readonly rejected?: string;
  readonly watch?: true;
  readonly json?: true;
}

/** A list, and what became of it. */
type Synced = { readonly name: string; readonly seconds: number } & ({ readonly synced: SyncedList } | { readonly error: unknown });

/** Exit code 1 when a list failed; its labels stay as they were. */
export async function syncLabels(names: readonly string[], flags: SyncFlags): Promise<void> {
  checkFlags(names, flags);
  if (flags.watch === true) return watch(flags);
  const stop = new AbortController();
  await withInstallation(flags, async ({ pool }, settings, undo) => {
    const lists = listsOf(names, flags, settings);
    const working = syncAll(pool, lists, settings, flags, stop.signal);
    undo.push(async () => {
      stop.abort();
      await working.catch(() => undefined);
    });
    const all = await working;
    if (flags.json) await printJson(all.map(jsonOf));
    if (all.some((each) => 'error' in each)) process.exitCode = 1;
  });
}

function checkFlags(names: readonly string[], { file, sha256, watch: isWatch, allowRemovals, rejected, json }: SyncFlags): void {
  for (const name of [...names, ...(file?.keys() ?? []), ...(sha256?.keys() ?? [])]) asked(() => listNamed(name));
  checkFiles([...(file?.values() ?? [])], {});
  for (const [name, hash] of sha256 ?? [])
    if (!/^[0-9a-f]{64}$/i.test(hash)) throw new UsageError(`--sha256: that of ${name} is not 64 hex digits`);
  const others = [file, sha256, allowRemovals, rejected, json];
  if (isWatch === true && (names.length > 0 || others.some((flag) => flag !== undefined)))
    throw new UsageError('--watch keeps the lists of WEIR_LISTS fresh, and takes no other flag');
}

/** The named ones, or those with a file, or the enabled ones. */
function listsOf(names: readonly string[], { file }: SyncFlags, settings: AllSettings): readonly PublishedList[] {
  const chosen = [...new Set([...names, ...(file?.keys() ?? [])])];
  const lists = chosen.length > 0 ? chosen.map((name) => withUrl(listNamed(name), settings.listUrls)) : enabledLists(settings);
  if (lists.length === 0) throw new UsageError('no list is enabled: name lists, or set WEIR_LISTS');
  return lists;
}

async function syncAll(
  pool: Pool,
  lists: readonly PublishedList[],
  settings: AllSettings,
  flags: SyncFlags,
  signal: AbortSignal,
): Promise<Synced[]> {
  await migrateRiskApi(pool);
  const all = await whileLocked(pool, async () => {
    const done: Synced[] = [];
    for (const list of lists) {
      if (signal.aborted) break;
      const one = await syncOne(pool, list, settings.listIntervalMs, flags, signal);
      done.push(one);
      for (const line of flags.json ? [] : linesOf(one)) note(line);
    }
    return done;
  });
  if (all === undefined) throw new Error('another process checks published lists now; try again when it has ended');
  return all;
}

async function syncOne(pool: Pool, list: PublishedList, intervalMs: number, flags: SyncFlags, signal: AbortSignal): Promise<Synced> {
  const { name } = list;
  const began = systemClock.monotonic();
  const rejected = openRejected(rejectedFileOf(name, flags), name);
  const options = { file: flags.file?.get(name), sha256: flags.sha256?.get(name), allowRemovals: flags.allowRemovals };
  const seconds = (): number => (systemClock.monotonic() - began) / 1_000;
  try {
    const person = operator().id;
    const onRejected = (row: Parameters<typeof rejected.add>[0]): void => rejected.add(row);
    const synced = await jobsOf(pool).run({ ...listJob(list, intervalMs), signal }, () =>
      syncList(list, { pool, clock: systemClock, signal, person, intervalMs, ...options, onRejected }),
    );
    return { name, synced, seconds: seconds() };
  } catch (error) {
    if (signal.aborted) throw error;
    return { name, error, seconds: seconds() };
  } finally {
    rejected.close();
  }
}

function linesOf(one: Synced): string[] {
  const { name } = one;
  if ('error' in one) return [`${name}: failed, and its labels stay as they are: ${plain(lineOf(one.error))}`];
  const { outcome, sha256, addresses, unknown, run } = one.synced;
  if (outcome === 'unchanged')
    return [`${name}: unchanged since ${run.finishedAt?.toISOString() ?? 'its last import'} (SHA-256 ${sha256}).`];
  const left = Object.entries(unknown).map(([asset, count]) => `${count} ${asset}`);
  return [
    `${name}: ${addresses} addresses; ${run.inserted} new labels, ${run.unchanged} known already, ${run.ended} ended, ${run.rejected} rejected (SHA-256 ${sha256}).`,
    ...(left.length === 0 ? [] : [`  Left out, on chains that Weir does not know: ${left.join(', ')}.`]),
  ];
}

function jsonOf(one: Synced): object {
  const seconds = Number(one.seconds.toFixed(3));
  if ('error' in one) {
    const code = one.error instanceof ListError ? one.error.code : 'FAILED';
    return { list: one.name, outcome: 'failed', code, error: lineOf(one.error), seconds };
  }
  const { outcome, sha256, addresses, unknown, run } = one.synced;
  const { key, inserted, unchanged, ended, rejected } = run;
  return { list: one.name, outcome, sha256, import: key, addresses, new: inserted, known: unchanged, ended, rejected, unknown, seconds };
}

/** For installations whose services run by themselves: `weir start` does it in its own process. */
async function watch(flags: SyncFlags): Promise<void> {
  await withInstallation(flags, async ({ pool }, settings, undo) => {
    await migrateRiskApi(pool);
    const stop = new AbortController();
    const logger = createLogger({ service: 'weir-lists', level: settings.logLevel });
    const options = { pool, clock: systemClock, logger, signal: stop.signal };
    const keeping = Promise.all([keepListsFresh({ ...options, settings }), keepRequestsApplied(options)]);
    undo.push(async () => {
      stop.abort();
      await keeping;
    });
    await keeping;
  });
}

/** A record that fails is a warning. */
function jobsOf(db: Pool): Jobs {
  return new Jobs({ db, clock: systemClock, logger: createLogger({ service: 'weir-lists', level: 'warn' }) });
}
