import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pool, PostgresError } from '@weir/postgres';
import { from as copyFrom } from 'pg-copy-streams';

type Client = Awaited<ReturnType<Pool['connect']>>;

/** One value of a line in PostgreSQL's text format. */
export type CopyValue = string | number | Date | boolean | null;

const linesPerChunk = 500;

/** One line of COPY's text format. */
export function copyLine(values: readonly CopyValue[]): string {
  return `${values.map(field).join('\t')}\n`;
}

/** Sends lines of `copyLine`. Rejects with PostgreSQL's own error, or with `DATABASE_UNAVAILABLE` when the connection failed. */
export async function copyInto(client: Client, table: string, lines: readonly string[]): Promise<void> {
  try {
    await pipeline(Readable.from(chunks(lines)), client.query(copyFrom(`COPY ${table} FROM STDIN`)));
  } catch (error) {
    // pg tells of a connection that broke by a bare error.
    if ((error as { code?: unknown }).code !== undefined) throw error;
    throw new PostgresError('DATABASE_UNAVAILABLE', 'the database cannot be reached', { cause: error });
  }
}

function* chunks(lines: readonly string[]): Generator<Buffer> {
  for (let at = 0; at < lines.length; at += linesPerChunk) yield Buffer.from(lines.slice(at, at + linesPerChunk).join(''));
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function field(value: CopyValue): string {
  if (value === null) return '\\N';
  if (value instanceof Date) return timestamp(value);
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
  return String(value);
}

/** PostgreSQL knows no year 0 and no sign before one: the year before 1 is 1 BC. */
function timestamp(at: Date): string {
  const year = at.getUTCFullYear();
  const rest = at.toISOString().slice(-20);
  return year > 0 ? `${String(year).padStart(4, '0')}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
