import { open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@weir/clock';
import { AppendFile, coalesce, parseAppended, readAppended } from '@weir/service-kit';
import { z } from 'zod';

/** A redeemed permit, as a line of the journal. */
export interface Redeemed {
  readonly withdrawal_id: string;
  readonly permit_id: string;
  /** RFC 3339. */
  readonly redeemed_at: string;
  readonly redemption_id?: string;
}

const line = z.object({
  withdrawal_id: z.string().min(1),
  permit_id: z.guid(),
  redeemed_at: z.iso.datetime(),
  redemption_id: z.string().exactOptional(),
});

/** Redemptions that this process has written, so that the answer to a repeated question writes none. */
const mostKnown = 10_000;
const suffix = '.jsonl';
const dayMs = 86_400_000;

export interface JournalOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Files without a newer line are removed. 0: none. */
  readonly keepDays: number;
}

/**
 * Redemptions outside the database, which a restored one may have forgotten. Each is on disk before an answer tells of it. One file per host
 * and month.
 */
export class Journal {
  readonly #folder: string;
  readonly #options: JournalOptions;
  #file: AppendFile;
  readonly #known = new Set<string>();
  readonly #append = coalesce<Redeemed>((redemptions) => this.#write(redemptions));

  private constructor(folder: string, options: JournalOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#file = AppendFile.open(this.#path());
  }

  static async open(folder: string, options: JournalOptions): Promise<Journal> {
    const journal = new Journal(folder, options);
    await journal.#prune();
    return journal;
  }

  /** Resolves when it is on disk. Calls during a write share the next. */
  async record({ withdrawal_id, permit_id, redeemed_at, redemption_id }: Redeemed): Promise<void> {
    if (this.#known.has(permit_id)) return;
    await this.#append([{ withdrawal_id, permit_id, redeemed_at, ...(redemption_id === undefined ? {} : { redemption_id }) }]);
    this.#known.add(permit_id);
    for (const oldest of this.#known) {
      if (this.#known.size <= mostKnown) break;
      this.#known.delete(oldest);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(redemptions: readonly Redeemed[]): Promise<readonly never[]> {
    const path = this.#path();
    if (path !== this.#file.path) {
      const before = this.#file;
      this.#file = AppendFile.open(path);
      await before.close();
      await this.#prune();
    }
    await this.#file.append(redemptions);
    return [];
  }

  #path(): string {
    const month = new Date(this.#options.clock.now()).toISOString().slice(0, 7);
    return join(this.#folder, `${hostname()}.${month}${suffix}`);
  }

  /** Of every host: one that is gone does not remove its own. */
  async #prune(): Promise<void> {
    const { clock, keepDays } = this.#options;
    if (keepDays === 0) return;
    for (const path of await journalFiles(this.#folder)) {
      const { mtimeMs } = await stat(path);
      if (path !== this.#file.path && mtimeMs < clock.now() - keepDays * dayMs) await rm(path, { force: true });
    }
  }
}

/** The files of a journal; none if there is no folder. */
export async function journalFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith(suffix)).map((name) => join(folder, name));
}

/** Redemptions in the order of a file, in pages. `onTorn` gets the number of each line that is none: the last of a killed process. */
export async function* readJournal(
  file: string,
  { pageSize, onTorn }: { pageSize: number; onTorn: (line: number) => void },
): AsyncGenerator<Redeemed[]> {
  let page: Redeemed[] = [];
  for await (const redemption of readAppended(file, { parse: (value) => line.parse(value), onTorn })) {
    page.push(redemption);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Bytes of the longest possible line: ids of 128 characters, escaped, and the rest. */
const longestLine = 4_096;

/** The last redemptions of a file, at least `count` if it has as many. */
export async function readTail(file: string, count: number): Promise<Redeemed[]> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, count * longestLine);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    // The first line may be cut.
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return lines
      .slice(size === length ? 0 : 1)
      .map((text) => parseAppended(text, (value) => line.parse(value)))
      .filter((each) => each !== undefined);
  } finally {
    await handle.close();
  }
}
