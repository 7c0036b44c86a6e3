import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { coalesce } from '@weir/service-kit';
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

/**
 * Redemptions outside the database, which a restored one may have forgotten. Each is on disk before an answer tells of it. One file per host;
 * a line is written whole or is the last of a process that was killed.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #known = new Set<string>();
  readonly #append = coalesce<Redeemed>((redemptions) => this.#write(redemptions));
  /** The file may end within a line. */
  #isTorn = true;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(folder: string): Promise<Journal> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Journal(await open(join(folder, `${hostname()}${suffix}`), 'a', 0o600));
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
    const text = redemptions.map((redemption) => `${JSON.stringify(redemption)}\n`).join('');
    const start = this.#isTorn ? '\n' : '';
    this.#isTorn = true;
    await this.#file.appendFile(start + text);
    await this.#file.datasync();
    this.#isTorn = false;
    return [];
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
  { pageSize, onTorn }: { pageSize: number; onTorn?: (line: number) => void },
): AsyncGenerator<Redeemed[]> {
  let page: Redeemed[] = [];
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (text === '') continue;
    const redemption = parse(text);
    if (redemption === undefined) onTorn?.(number);
    else page.push(redemption);
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
      .map(parse)
      .filter((each) => each !== undefined);
  } finally {
    await handle.close();
  }
}

function parse(text: string): Redeemed | undefined {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
