import { systemClock } from '@weir/clock';
import pMap from 'p-map';
import { confirm } from '../confirm.ts';
import { Interrupted } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../settings.ts';
import { note, plain, print, printJson } from '../output.ts';
import { openProgress } from '../progress.ts';
import { type Client, openClient } from '../console.ts';
import { type Item, readItems } from './items.ts';

/** The outcome of one review. `done_before`: this caller did it earlier. */
export interface Done {
  readonly screening_id: string;
  readonly result: 'done' | 'would_be_done' | 'done_before' | 'not_done';
  readonly resolution_id: string | null;
  /** Why it was not done; null otherwise. */
  readonly code: string | null;
}

export interface BulkFlags extends PlaceFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export interface Bulk {
  /** E.g. `resolve` and `resolved`. */
  readonly verb: string;
  readonly participle: string;
  /** The question before it begins; `count` is in words. */
  ask(count: string): string;
  one(client: Client, item: Item): Promise<Done>;
  /** A dry run of `one`. */
  look(client: Client, item: Item): Promise<Done>;
}

/** The console handles a few at once; more would only queue there. */
const atOnce = 4;

/** Applies one operation to each review of a list. After any interruption the same command continues. */
export async function runBulk(file: string, flags: BulkFlags, bulk: Bulk): Promise<void> {
  const settings = loadSettings(flags);
  const items = await readItems(file);
  const stop = new AbortController();
  const client = openClient(flags, settings, stop.signal);
  const count = `${items.length} review${items.length === 1 ? '' : 's'}`;
  const go = flags.dryRun === true || items.length === 0 || (await confirm(bulk.ask(count), flags.yes));
  if (!go) return note('Nothing was changed.');
  try {
    const all = await untilInterrupted(async (undo) => {
      undo.push(async () => stop.abort());
      const progress = openProgress(systemClock);
      undo.push(async () => progress.clear());
      const work = (item: Item): Promise<Done> => (flags.dryRun ? bulk.look(client, item) : bulk.one(client, item));
      return each(items, work, (done) => progress.show(done, items.length, bulk.participle));
    });
    await report(all, flags, bulk);
  } catch (error) {
    throw error instanceof Interrupted ? new Interrupted('interrupted; run the same command again to continue') : error;
  }
}

/** Keeps the list's order. The first rejection ends it. */
async function each(items: readonly Item[], work: (item: Item) => Promise<Done>, show: (done: number) => void): Promise<Done[]> {
  let count = 0;
  const counted = async (item: Item): Promise<Done> => {
    const done = await work(item);
    count += 1;
    show(count);
    return done;
  };
  return pMap(items, counted, { concurrency: atOnce });
}

async function report(all: readonly Done[], flags: BulkFlags, { verb, participle }: Bulk): Promise<void> {
  const notDone = all.filter(({ result }) => result === 'not_done');
  if (flags.json) await printJson(all);
  else for (const { screening_id, code } of notDone) await print(`${screening_id}  ${plain(code ?? '')}\n`);
  const of = (result: Done['result']): number => all.filter((one) => one.result === result).length;
  const parts = [flags.dryRun ? `would ${verb} ${of('would_be_done')}` : `${participle} ${of('done')}`];
  if (of('done_before') > 0) parts.push(`${of('done_before')} ${participle} before`);
  if (notDone.length > 0) parts.push(`${notDone.length} could not be ${participle}`);
  const text = parts.join(', ');
  note(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  if (notDone.length > 0) process.exitCode = 1;
}
