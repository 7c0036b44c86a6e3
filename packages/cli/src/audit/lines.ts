import { open } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { entryProblem, erasedSalt } from '@weir/audit-log';
import type { AuditEntry } from '@weir/audit-writer';

/** An entry in an export: the record's stored bytes, its decoded content where it can be decoded, and its leaf. */
export interface EntryLine {
  readonly index: number;
  readonly event_id: string;
  readonly topic: string;
  readonly key: string;
  readonly event_time: string;
  readonly recorded_at: string;
  readonly screening_id: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value_base64: string;
  readonly data: unknown;
  readonly conflicts_with: string | null;
  readonly log_partition: number;
  readonly log_offset: number;
  /** The event of the act that erased the payload. Key, headers, value and screening are empty then; else null. Absent in exports of earlier versions. */
  readonly erased_by?: string | null;
  /** Null of an erased entry. */
  readonly salt: string | null;
  /** Only of an erased entry, which it stands for. */
  readonly commitment?: string | null;
  readonly leaf_hash: string | null;
  /** Only in exports of a part: from the leaf up to the root of the checkpoint. Null of an entry that no checkpoint covers yet. */
  readonly inclusion_proof?: readonly string[] | null;
}

/** The last line of an export: all that its verification needs besides the entries. */
export interface LastLine {
  /** The signed note. */
  readonly checkpoint: string | null;
  /** Verifier keys, one a line. */
  readonly keys: string | null;
  /** Texts of the policies that decided, by their hash. */
  readonly policies?: Readonly<Record<string, string>>;
  /** Avro schemas of the records, by the number in their bytes. */
  readonly schemas?: Readonly<Record<string, string>>;
}

export function entryLine(entry: AuditEntry, data: unknown, proof: readonly Buffer[] | null | undefined): EntryLine {
  return {
    index: Number(entry.index),
    event_id: entry.event_id,
    topic: entry.topic,
    key: entry.key,
    event_time: entry.event_time,
    recorded_at: entry.recorded_at,
    screening_id: entry.screening_id,
    headers: entry.headers,
    value_base64: entry.value.toString('base64'),
    data,
    conflicts_with: entry.conflicts_with,
    log_partition: entry.log_partition,
    log_offset: Number(entry.log_offset),
    erased_by: entry.erased_by,
    commitment: entry.commitment?.toString('base64') ?? null,
    salt: entry.salt?.toString('base64') ?? null,
    leaf_hash: entry.leaf_hash?.toString('base64') ?? null,
    ...(proof === undefined ? {} : { inclusion_proof: proof?.map((hash) => hash.toString('base64')) ?? null }),
  };
}

/** Names what of the line does not fit its leaf; undefined if all of it does. */
export function lineProblem(line: EntryLine): string | undefined {
  const bytes = (text: string | null | undefined): Buffer => Buffer.from(text ?? '', 'base64');
  try {
    const { erased_by = null, value_base64, log_offset, salt, commitment, leaf_hash } = line;
    const entry = { ...line, erased_by, value: bytes(value_base64), log_offset: BigInt(log_offset) };
    const hash = bytes(leaf_hash);
    if (erased_by === null) return entryProblem(entry, { salt: bytes(salt), hash });
    return entryProblem(entry, { salt: salt === null ? erasedSalt : bytes(salt), commitment: bytes(commitment), hash });
  } catch {
    return 'is not the one of its leaf';
  }
}

export function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/** Undefined for a line that is not of an export. */
export function parseLine(text: string): EntryLine | LastLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    const isObject = typeof line === 'object' && line !== null;
    return isObject && ('checkpoint' in line || 'event_id' in line) ? (line as EntryLine | LastLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Policies are texts of people, so it has some megabytes at most. */
const longestLine = 64 * 1024 * 1024;

/** Undefined where the file does not end with a checkpoint's line. */
export async function readLastLine(file: string): Promise<LastLine | undefined> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    for (let length = Math.min(size, 65_536); ; length = Math.min(length * 4, size)) {
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
      const text = buffer.toString().trimEnd();
      const start = text.lastIndexOf('\n');
      if (start < 0 && length < size && length < longestLine) continue;
      const line = parseLine(text.slice(start + 1));
      return line !== undefined && 'checkpoint' in line ? line : undefined;
    }
  } finally {
    await handle.close();
  }
}
