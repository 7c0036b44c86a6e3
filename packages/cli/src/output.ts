import { OutputClosed } from './failure.ts';

const closing = Promise.withResolvers<void>();
let closed = false;

/** Resolves when whoever read stdout has gone. */
export const stdoutClosed: Promise<void> = closing.promise;

/** Makes a reader that has gone an end like any other. To be called once, before anything is written. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    closed = true;
    closing.resolve();
  });
  // Without stderr there is nobody left to tell.
  process.stderr.on('error', () => undefined);
}

/** Writes data to stdout and waits until it is taken. Rejects with `OutputClosed` when the reader has gone. */
export function print(text: string): Promise<void> {
  return printBytes(text);
}

/** The same for bytes. */
export function printBytes(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (closed) return reject(new OutputClosed());
    process.stdout.write(text, (error) => (error ? reject(new OutputClosed()) : resolve()));
  });
}

export async function printJson(value: unknown): Promise<void> {
  await print(`${JSON.stringify(value, null, 2)}\n`);
}

/** A list as one JSON array, written item by item. Returns how many there were. */
export async function printJsonList(items: AsyncIterable<unknown> | Iterable<unknown>): Promise<number> {
  let count = 0;
  for await (const item of items) {
    await print(`${count === 0 ? '[' : ','}\n${JSON.stringify(item)}`);
    count += 1;
  }
  await print(count === 0 ? '[]\n' : '\n]\n');
  return count;
}

/** A message for the person at the terminal. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Columns as wide as their widest cell; the last one runs free. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map((row) => `${line(row)}\n`).join('');
}

/** What comes from outside may hold what moves the cursor or changes the colour of a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
