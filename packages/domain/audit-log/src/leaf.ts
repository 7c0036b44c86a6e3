import { sha256 } from './hashes.ts';

/** Bytes of a salt: nobody finds an erased payload by trying contents. */
export const saltLength = 16;

/** What stays known of an entry when its payload is erased. Times are RFC 3339 in UTC with six digits of the second. */
export interface EntryMetadata {
  readonly event_id: string;
  /** The event that had this id first with other content. */
  readonly conflicts_with: string | null;
  readonly topic: string;
  readonly log_partition: number;
  readonly log_offset: bigint;
  readonly event_time: string;
  readonly recorded_at: string;
}

/** What can be erased: it leads to a customer. */
export interface EntryPayload {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly screening_id: string | null;
  readonly value: Uint8Array;
}

/** In place of an erased salt. No random salt is zero. */
export const erasedSalt: Buffer = Buffer.alloc(saltLength);

/** Whether nothing of the payload is there. */
export function isEmptyPayload({ key, headers, screening_id, value }: EntryPayload): boolean {
  return key === '' && Object.keys(headers).length === 0 && screening_id === null && value.length === 0;
}

/** SHA-256 over the salt, one line of JSON with sorted keys, a newline and the value. */
export function commitment(salt: Uint8Array, { key, headers, screening_id, value }: EntryPayload): Buffer {
  const names = Object.keys(headers).sort();
  const line = JSON.stringify({ headers: names.map((name) => [name, headers[name]]), key, screening_id });
  return sha256(Buffer.concat([salt, Buffer.from(`${line}\n`), value]));
}

/** The bytes of a leaf: one line of JSON. They commit to the payload and do not contain it. */
export function leafOf(entry: EntryMetadata, payload: Buffer): Buffer {
  const leaf = {
    version: 1,
    event_id: entry.event_id,
    conflicts_with: entry.conflicts_with,
    topic: entry.topic,
    log_partition: entry.log_partition,
    log_offset: String(entry.log_offset),
    event_time: entry.event_time,
    recorded_at: entry.recorded_at,
    commitment: payload.toString('hex'),
  };
  return Buffer.from(JSON.stringify(leaf));
}

/** The leaf of an index whose entry was missing when the tree began. */
export const missingLeaf: Buffer = Buffer.alloc(0);
