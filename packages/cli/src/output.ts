import { OutputClosed } from './failure.ts';

const closing = Promise.withResolvers<void>();
let closed = false;

/** Resolves when the reader of stdout has closed it. */
export const stdoutClosed: Promise<void> = closing.promise;

/** Makes a closed reader a normal end. Call once, before any output. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    closed = true;
    closing.resolve();
  });
  // Without stderr no error can be reported.
  process.stderr.on('error', () => undefined);
}

/** Writes to stdout and waits until the data is flushed. Rejects with `OutputClosed` when the reader has closed it. */
export function print(text: string): Promise<void> {
  return printBytes(text);
}

export function printBytes(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (closed) return reject(new OutputClosed());
    process.stdout.write(text, (error) => (error ? reject(new OutputClosed()) : resolve()));
  });
}

export async function printJson(value: unknown): Promise<void> {
  await print(`${JSON.stringify(value, null, 2)}\n`);
}

/** Streams a list as one JSON array. Returns its length. */
export async function printJsonList(items: AsyncIterable<unknown> | Iterable<unknown>): Promise<number> {
  let count = 0;
  for await (const item of items) {
    await print(`${count === 0 ? '[' : ','}\n${JSON.stringify(item)}`);
    count += 1;
  }
  await print(count === 0 ? '[]\n' : '\n]\n');
  return count;
}

/** A message to the person, on stderr. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Pads columns to their widest cell, except the last. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  return linesOf(all, widthsOf(all));
}

/** Rows that share the widths of their columns. */
const rowsAtOnce = 200;

/** Prints a table while its items come; the columns may widen from one part to the next. Returns the number of items. */
export async function printTable<T>(
  head: readonly string[],
  items: AsyncIterable<T>,
  rowOf: (item: T) => readonly string[],
): Promise<number> {
  let count = 0;
  let rows: (readonly string[])[] = [head];
  let widths: readonly number[] = [];
  const flush = async (): Promise<void> => {
    widths = widthsOf(rows, widths);
    await print(linesOf(rows, widths));
    rows = [];
  };
  for await (const item of items) {
    rows.push(rowOf(item));
    count += 1;
    if (count % rowsAtOnce === 0) await flush();
  }
  if (count > 0) await flush();
  return count;
}

function widthsOf(rows: readonly (readonly string[])[], least: readonly number[] = []): number[] {
  return (rows[0] ?? least).map((_, column) => Math.max(least[column] ?? 0, ...rows.map((row) => row[column]?.length ?? 0)));
}

function linesOf(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** Removes control characters, which could move the cursor or change the colours of a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
