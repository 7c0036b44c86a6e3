import { entryBundle, hashLength, parseTilePath, type Tile, widthOf } from '@weir/audit-log';
import type { Codec } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import { type Callers, admission, decodeRecord, everybody, type Operation, operation, problem, readers } from '@weir/service-kit';
import { z } from 'zod';
import { anchorOperations } from './anchors/routes.ts';
import type { SignedCheckpoint } from './checkpoints.ts';
import { exampleCheckpoint, exampleEntry, exampleKey } from './examples.ts';
import { findEntry, readLeafBytes } from './read-entry.ts';
import { EntryProver } from './prove.ts';
import { readLevel } from './tree-hashes.ts';
import { entryView, viewOf } from './view.ts';
import { witnessOperations } from './witness/routes.ts';
import type { Witness } from './witness/witness.ts';

/** What the API reads. */
export interface AuditReading {
  readonly pool: Pool;
  readonly access: Callers;
  readonly codec: Codec;
  /** Verifier keys of the log, one a line; undefined: this process has none. */
  readonly keys: string | undefined;
  /** Undefined before the first, and where none is signed. */
  readonly latest: () => Promise<SignedCheckpoint | undefined>;
  /** Signs now if the tree has grown, and returns the latest. */
  readonly refreshed: () => Promise<SignedCheckpoint | undefined>;
  /** Undefined: this Weir cosigns no other log. */
  readonly witness: Witness | undefined;
}

const tag = 'audit';
const unsigned = { NOT_SIGNED: [503, 'No checkpoint is signed yet, or this process cannot sign. Try again.'] } as const;
const uuid = z.guid();

export function auditOperations(reading: AuditReading): readonly Operation[] {
  return [
    checkpointOperation(reading, 'get_checkpoint', '/v1/audit/checkpoint'),
    checkpointOperation(reading, 'get_tlog_checkpoint', '/checkpoint'),
    keyOperation(reading),
    entryOperation(reading),
    tileOperation(reading),
    ...anchorOperations(reading),
    ...witnessOperations(reading.witness),
  ];
}

function checkpointOperation({ latest }: AuditReading, name: string, path: string): Operation {
  return operation({
    name,
    method: 'GET',
    path,
    tag,
    summary: 'The latest signed checkpoint of the audit log.',
    description: 'A signed note (C2SP tlog-checkpoint): name of the log, leaves, root, signatures.',
    admission: everybody,
    answers: [{ status: 200, description: 'The note.', type: 'text/plain', schema: z.string(), example: exampleCheckpoint }],
    problems: unsigned,
    respond: async (c) => {
      const checkpoint = await latest();
      if (checkpoint === undefined) return problem(c, 503, 'NOT_SIGNED', 'no checkpoint is signed here');
      return c.text(checkpoint.note, 200, { 'cache-control': 'no-cache' });
    },
  });
}

function keyOperation({ keys }: AuditReading): Operation {
  return operation({
    name: 'get_audit_key',
    method: 'GET',
    path: '/v1/audit/key',
    tag,
    summary: 'The public keys that checkpoints verify with, one a line.',
    description: 'Each is `name+id+base64`, as Go’s sumdb/note reads it. Compare it with a copy that you got another way.',
    admission: everybody,
    answers: [{ status: 200, description: 'Verifier keys.', type: 'text/plain', schema: z.string(), example: exampleKey }],
    problems: unsigned,
    respond: (c) => (keys === undefined ? problem(c, 503, 'NOT_SIGNED', 'this process has no signing key') : c.text(keys)),
  });
}

function entryOperation(reading: AuditReading): Operation {
  const { pool, access, codec, latest, refreshed } = reading;
  return operation({
    name: 'get_audit_entry',
    method: 'GET',
    path: '/v1/audit/entries/{event_id}',
    tag,
    summary: 'One event of the audit log, with the proof that it is in the tree of a signed checkpoint.',
    admission: admission(access, readers),
    segments: z.object({ event_id: uuid.meta({ description: 'Of the event.', example: exampleEntry.event_id }) }),
    answers: [{ status: 200, description: 'The entry.', schema: entryView, example: exampleEntry }],
    problems: { NOT_FOUND: [404, 'The audit log has no event with this id.'], ...unsigned },
    respond: async (c) => {
      const id = uuid.safeParse(c.req.param('event_id'));
      const entry = id.success ? await findEntry(pool, id.data) : undefined;
      if (entry === undefined) return problem(c, 404, 'NOT_FOUND', 'the audit log has no event with this id');
      const index = Number(entry.index);
      const known = await latest();
      const checkpoint = known !== undefined && known.size > index ? known : await refreshed();
      if (checkpoint === undefined || checkpoint.size <= index)
        return problem(c, 503, 'NOT_SIGNED', 'no signed checkpoint has this event yet; try again');
      c.header('cache-control', 'no-store');
      // The proof needs no schema registry, which may be away.
      const data = await decodeRecord(entry.topic, entry.value, codec).catch(() => null);
      return c.json(viewOf(entry, data, checkpoint, await new EntryProver(pool, checkpoint.size).prove(index)));
    },
  });
}

function tileOperation({ pool, access }: AuditReading): Operation {
  return operation({
    name: 'get_tile',
    method: 'GET',
    path: '/tile/{level}/{tile}',
    isTail: true,
    tag,
    summary: 'A tile of the tree (C2SP tlog-tiles): 256 hashes of a level, or the leaves of `entries`.',
    description:
      'Groups of three digits, all but the last with an `x`: `tile/0/x001/067`. A partial tile ends with `.p/` and its width. A leaf has metadata and a commitment, and nothing of a customer.',
    admission: admission(access, readers),
    segments: z.object({
      level: z.string().meta({ description: '0 to 63, or `entries`.', example: '0' }),
      tile: z.string().meta({ description: 'Index, and the width of a partial tile.', example: '000.p/1' }),
    }),
    answers: [{ status: 200, description: 'The tile.', type: 'application/octet-stream', schema: z.string(), example: '' }],
    problems: { NOT_FOUND: [404, 'The tree has no such tile, or the path is in another form.'] },
    respond: async (c) => {
      const tile = parseTilePath(c.req.path.slice(1));
      const { rows } = await pool.query<{ size: bigint }>('SELECT size FROM audit.tree');
      if (tile === undefined || widthOf(tile, Number(rows[0]?.size ?? 0n)) < tile.width)
        return problem(c, 404, 'NOT_FOUND', 'the tree has no such tile');
      const bytes = await readTile(pool, tile);
      return c.body(new Uint8Array(bytes), 200, {
        'content-type': 'application/octet-stream',
        'cache-control': 'private, max-age=31536000, immutable',
      });
    },
  });
}

async function readTile(pool: Pool, { level, index, width }: Tile): Promise<Buffer> {
  if (level === 'entries') return entryBundle(await readLeafBytes(pool, index * 256, width));
  return Buffer.concat(await readLevel(pool, { level, first: index * 256, count: width }), width * hashLength);
}
