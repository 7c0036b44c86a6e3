import { type AuditEntry, exportCheckpoint, exportEntries } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import type { Codec } from '@weir/contracts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, print } from '../output.ts';
import { openProgress } from '../progress.ts';
import { decode } from '../record.ts';

export async function exportAll(flags: PlaceFlags & { from: number }): Promise<void> {
  const count = await withInstallation(flags, async ({ pool, codec }) => {
    // Before the entries, so that they cover it.
    const checkpoint = await exportCheckpoint(pool);
    const progress = openProgress(systemClock);
    let done = 0;
    for await (const entry of exportEntries(pool, { from: BigInt(flags.from) })) {
      await print(`${JSON.stringify(await entryLine(entry, codec))}\n`);
      done += 1;
      if (!process.stdout.isTTY) progress.show(done, undefined, 'entries');
    }
    if (checkpoint !== undefined) await print(`${JSON.stringify(checkpoint)}\n`);
    progress.clear();
    return done;
  });
  note(`${count} ${count === 1 ? 'entry' : 'entries'} from index ${flags.from} on`);
}

/** One line of the export: the record's stored bytes, and its decoded content where it can be decoded. */
async function entryLine(entry: AuditEntry, codec: Codec): Promise<object> {
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
    data: await decode(entry.topic, entry.value, codec),
    conflicts_with: entry.conflicts_with,
    log_partition: entry.log_partition,
    log_offset: Number(entry.log_offset),
    salt: entry.salt?.toString('base64') ?? null,
    leaf_hash: entry.leaf_hash?.toString('base64') ?? null,
  };
}
