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
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map((row) => `${line(row)}\n`).join('');
}

/** Removes control characters, which could move the cursor or change the colours of a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
