import { close, createReadStream, fdatasync, fsyncSync, mkdirSync, openSync, write, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/**
 * An append-only file of JSON lines. A kill may cut its last line: the next append begins a new one, and a reader passes over what is no
 * line. Processes of a host may share the file.
 */
export class AppendFile {
  readonly path: string;
  readonly #fd: number;
  /** The file may end within a line. */
  #isTorn = true;
  #isClosed = false;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  /** Makes the file and its folder, for their owner alone. */
  static open(path: string): AppendFile {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new AppendFile(path, openSync(path, 'a', 0o600));
  }

  /** On disk when it resolves. One call at a time. */
  async append(lines: readonly object[]): Promise<void> {
    const bytes = this.#begin(lines);
    for (let at = 0; at < bytes.length; ) at += (await promisify(write)(this.#fd, bytes, at)).bytesWritten;
    await promisify(fdatasync)(this.#fd);
    this.#isTorn = false;
  }

  /** On disk when it returns. */
  appendNow(line: object): void {
    const bytes = this.#begin([line]);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    fsyncSync(this.#fd);
    this.#isTorn = false;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await promisify(close)(this.#fd);
  }

  #begin(lines: readonly object[]): Buffer {
    // The descriptor may belong to another file by then.
    if (this.#isClosed) throw new Error(`${this.path} is closed`);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    this.#isTorn = true;
    return bytes;
  }
}

/**
 * The lines of such a file that `parse` takes, in their order; none if there is no file. `parse` throws, or returns undefined, for what is
 * none. `onTorn` gets the number of each of those.
 */
export async function* readAppended<Line>(
  path: string,
  { parse, onTorn }: { readonly parse: (value: unknown) => Line | undefined; readonly onTorn?: (line: number) => void },
): AsyncGenerator<Line, void, void> {
  let number = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (text === '') continue;
      const line = parseAppended(text, parse);
      if (line === undefined) onTorn?.(number);
      else yield line;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** One line; undefined for a torn one. */
export function parseAppended<Line>(text: string, parse: (value: unknown) => Line | undefined): Line | undefined {
  try {
    return parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
