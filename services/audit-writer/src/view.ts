import type { Described } from '@weir/service-kit';
import { z } from 'zod';
import type { SignedCheckpoint } from './checkpoints.ts';
import type { EntryWithLeaf } from './read-entry.ts';

const base64 = z.string().describe('Base64.');

export const entryView = z
  .strictObject({
    event_id: z.guid(),
    index: z.int().min(0).describe('From 0, without gaps.'),
    topic: z.string(),
    key: z.string(),
    headers: z.record(z.string(), z.string()),
    value_base64: base64.describe("The record's bytes."),
    data: z.unknown().describe('The record; null where it was erased, or where the bytes cannot be read as a record of the topic now.'),
    screening_id: z.guid().nullable(),
    erased_by: z
      .guid()
      .nullable()
      .describe('The event of the act that erased key, headers, value, screening_id and salt, which are empty then; else null.'),
    conflicts_with: z.guid().nullable().describe('The earlier event with this id and other content.'),
    log_partition: z.int(),
    log_offset: z.string().describe('Decimal.'),
    event_time: z.string(),
    recorded_at: z.string(),
    salt: base64.describe('16 bytes; with key, headers, screening_id and value they give the commitment of the leaf.'),
    leaf: z.string().describe('The bytes of the leaf: one line of JSON.'),
    leaf_hash: base64.describe('SHA-256 over a zero byte and the leaf (RFC 6962).'),
    tree_size: z.int().min(1),
    inclusion_proof: z.array(base64).describe('From the leaf up (RFC 6962), for a tree of tree_size leaves.'),
    checkpoint: z.string().describe('The signed note over that tree.'),
  })
  .meta({ id: 'AuditEntry' });
export type EntryView = Described<typeof entryView>;

export function viewOf(entry: EntryWithLeaf, data: unknown, checkpoint: SignedCheckpoint, proof: readonly Buffer[]): EntryView {
  return {
    event_id: entry.event_id,
    index: Number(entry.index),
    topic: entry.topic,
    key: entry.key,
    headers: entry.headers,
    value_base64: entry.value.toString('base64'),
    data,
    screening_id: entry.screening_id,
    erased_by: entry.erased_by,
    conflicts_with: entry.conflicts_with,
    log_partition: entry.log_partition,
    log_offset: String(entry.log_offset),
    event_time: entry.event_time,
    recorded_at: entry.recorded_at,
    salt: entry.salt.toString('base64'),
    leaf: entry.leaf.toString(),
    leaf_hash: entry.hash.toString('base64'),
    tree_size: checkpoint.size,
    inclusion_proof: proof.map((hash) => hash.toString('base64')),
    checkpoint: checkpoint.note,
  };
}
