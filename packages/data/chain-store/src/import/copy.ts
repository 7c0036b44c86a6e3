import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pool, PostgresError } from '@weir/postgres';
import { from as copyFrom } from 'pg-copy-streams';

type Client = Awaited<ReturnType<Pool['connect']>>;

export type CopyValue = string | number | Date | boolean | null;

const bytesPerChunk = 65_536;

/** COPY lines as bytes outside the heap: a batch has hundreds of thousands. */
export class CopyLines {
  readonly #chunks: Buffer[] = [];
  #open = '';
  #bytes = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes + this.#open.length;
  }

  add(values: readonly CopyValue[]): void {
    this.#open += copyLine(values);
    this.#count += 1;
    if (this.#open.length >= bytesPerChunk) this.#close();
  }

  chunks(): readonly Buffer[] {
    this.#close();
    return this.#chunks;
  }

  #close(): void {
    const chunk = Buffer.from(this.#open);
    this.#open = '';
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
  }
}

function copyLine(values: readonly CopyValue[]): string {
  return `${values.map(field).join('\t')}\n`;
}

/** Rejects with PostgreSQL's own error, or with `DATABASE_UNAVAILABLE` when the connection failed. */
export async function copyInto(client: Client, table: string, lines: CopyLines): Promise<void> {
  try {
    await pipeline(Readable.from(lines.chunks()), client.query(copyFrom(`COPY ${table} FROM STDIN`)));
  } catch (error) {
    // pg reports a broken connection as an error without a code.
    if ((error as { code?: unknown }).code !== undefined) throw error;
    throw new PostgresError('DATABASE_UNAVAILABLE', 'the database cannot be reached', { cause: error });
  }
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function field(value: CopyValue): string {
  if (value === null) return '\\N';
  if (value instanceof Date) return timestamp(value);
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
  return String(value);
}

/** PostgreSQL has neither a year 0 nor a sign: the year before 1 is 1 BC. */
function timestamp(at: Date): string {
  const year = at.getUTCFullYear();
  const rest = at.toISOString().slice(-20);
  return year > 0 ? `${String(year).padStart(4, '0')}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
