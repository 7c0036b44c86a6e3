import { auditMigrations, EntryProver, exportCheckpoint, exportEntry, findEntry } from '@weir/audit-writer';
import { migrate } from '@weir/postgres';
import { decodeRecord } from '@weir/service-kit';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, print } from '../output.ts';
import { coveredBy } from './check-checkpoint.ts';
import { entryLine } from './lines.ts';
import { References } from './references.ts';

/** Prints one entry with its proof and the checkpoint, as an export of a part, so that `weir audit verify` reads it. */
export async function prove(eventId: string, flags: PlaceFlags): Promise<void> {
  await withInstallation(flags, async ({ pool, codec }) => {
    await migrate(pool, 'audit', auditMigrations);
    const found = await findEntry(pool, eventId);
    if (found === undefined) throw new Error(`the audit log has no event ${eventId}`);
    const signed = await exportCheckpoint(pool);
    const size = coveredBy(signed);
    if (found.index >= size) throw new Error(`no signed checkpoint has event ${eventId} yet; try again`);
    const references = new References(pool, codec);
    // The proof of an erased entry has the act too.
    for (const id of [eventId, found.erased_by]) {
      const entry = id === null ? undefined : await exportEntry(pool, id);
      if (entry === undefined) continue;
      const data = await decodeRecord(entry.topic, entry.value, codec);
      await references.see(entry, data);
      await print(`${JSON.stringify(entryLine(entry, data, await new EntryProver(pool, size).prove(Number(entry.index))))}\n`);
    }
    await print(`${JSON.stringify(references.lastLine(signed))}\n`);
    note(`event ${eventId} is entry ${found.index} of ${size} in the signed tree`);
  });
}
