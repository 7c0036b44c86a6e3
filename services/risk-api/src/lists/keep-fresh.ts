import type { PublishedList } from '@weir/chain-import';
import { addLabelLists, readLabelLists } from '@weir/chain-store';
import { type Clock, repeat } from '@weir/clock';
import { advisoryLock, type Pool, releaseSessionLocks } from '@weir/postgres';
import { Jobs, type Logger } from '@weir/service-kit';
import { enabledLists, type ListSettings } from './settings.ts';
import { listJob, syncList, type SyncListOptions } from './sync-list.ts';

/** How often due lists are looked for. */
export const lookMs = 60_000;

export interface KeepFreshOptions {
  /** Of the database's owner: only that may store labels. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: ListSettings;
  readonly signal: AbortSignal;
  readonly limits?: SyncListOptions['limits'];
}

/** Checks each enabled list when it is due, until `signal` aborts. One process at a time does; without enabled lists none. */
export async function keepListsFresh(options: KeepFreshOptions): Promise<void> {
  const { clock, logger, signal } = options;
  const lists = enabledLists(options.settings);
  if (lists.length === 0) return;
  const onError = (error: unknown): void => logger.warn({ err: error }, 'published lists were not checked; it will be tried again');
  await repeat({ clock, every: lookMs, signal, onError }, () => syncDue(lists, options));
}

async function syncDue(lists: readonly PublishedList[], options: KeepFreshOptions): Promise<void> {
  const { pool, clock, signal } = options;
  const names = lists.map(({ name }) => name);
  await addLabelLists(pool, names, new Date(clock.now()));
  if ((await dueOf(pool, names, clock)).size === 0) return;
  await whileLocked(pool, async () => {
    // Another process may have checked them meanwhile.
    const due = await dueOf(pool, names, clock);
    for (const list of lists) if (due.has(list.name) && !signal.aborted) await syncOne(list, options);
  });
}

async function dueOf(pool: Pool, names: readonly string[], clock: Clock): Promise<ReadonlySet<string>> {
  const states = await readLabelLists(pool, names);
  return new Set(states.filter(({ next_at }) => next_at.getTime() <= clock.now()).map(({ name }) => name));
}

async function syncOne(list: PublishedList, { pool, clock, logger, settings, signal, limits }: KeepFreshOptions): Promise<void> {
  let rejected = 0;
  const onRejected = ({ number, reason, text }: { number: number; reason: string; text: string }): void => {
    rejected += 1;
    if (rejected <= mostLogged)
      logger.warn({ list: list.name, number, reason, text: text.slice(0, 300) }, 'an address of a published list was rejected');
  };
  const given = limits === undefined ? {} : { limits };
  try {
    const jobs = new Jobs({ db: pool, clock, logger });
    const { outcome, sha256, addresses, unknown, run } = await jobs.run({ ...listJob(list, settings.listIntervalMs), signal }, () =>
      syncList(list, { pool, clock, signal, intervalMs: settings.listIntervalMs, onRejected, ...given }),
    );
    logger.info({ list: list.name, outcome, sha256, addresses, unknown, rejected, ended: run.ended }, 'published list checked');
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error, list: list.name }, 'a published list was not taken over; its labels stay as they are');
  }
}

/** Rejected addresses of one file in the log. */
const mostLogged = 20;

/** Undefined when another process syncs lists now. */
export async function whileLocked<T>(pool: Pool, work: () => Promise<T>): Promise<T | undefined> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ free: boolean }>(`SELECT ${advisoryLock('label-lists', 'try-session')} AS free`);
    return rows[0]?.free === true ? await work() : undefined;
  } finally {
    // At once, for the next process. If it fails, the lock ends with the connection.
    await client.query(`SELECT ${releaseSessionLocks}`).catch(() => undefined);
    client.release(true);
  }
}
