import { type AuditEntry, EntryProver, exportCheckpoint, exportEntries, type ExportSelection, exportSize } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import type { OpenPipeline } from '@weir/service-kit';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note } from '../output.ts';
import { openProgress } from '../progress.ts';
import { decode } from '../record.ts';
import { coveredBy } from './check-checkpoint.ts';
import { type ExportFormat, openOutput } from './formats.ts';
import { entryLine } from './lines.ts';
import { References } from './references.ts';

export interface ExportFlags extends PlaceFlags {
  readonly from: number;
  readonly since?: Date;
  readonly until?: Date;
  readonly screening?: string;
  readonly format: ExportFormat;
  readonly keepFormulas?: true;
}

export async function exportAll(flags: ExportFlags): Promise<void> {
  const { from, since, until, screening } = flags;
  const count = await withInstallation(flags, async (pipeline, _settings, undo) => {
    const output = await openOutput(flags.format, { keepFormulas: flags.keepFormulas === true });
    undo.push(() => output.close());
    return writeEntries(pipeline, { from: BigInt(from), since, until, screening }, output);
  });
  const where = since ?? until ?? screening;
  note(`${count} ${count === 1 ? 'entry' : 'entries'}${where === undefined ? '' : ' of the selection'} from index ${from} on`);
}

async function writeEntries(
  { pool, codec }: OpenPipeline,
  selection: ExportSelection & { from: bigint },
  output: Awaited<ReturnType<typeof openOutput>>,
): Promise<number> {
  // Before the entries, so that they cover it.
  const signed = await exportCheckpoint(pool);
  const { from, since, until, screening } = selection;
  const isPart = from > 0n || since !== undefined || until !== undefined || screening !== undefined;
  const total = isPart ? undefined : Number(await exportSize(pool));
  const prove = isPart ? proverOf(pool, coveredBy(signed)) : undefined;
  const references = new References(pool, codec);
  const progress = openProgress(systemClock);
  let count = 0;
  for await (const entry of exportEntries(pool, selection)) {
    const data = await decode(entry.topic, entry.value, codec);
    await references.see(entry, data);
    await output.write(entryLine(entry, data, await prove?.(entry)));
    count += 1;
    if (!process.stdout.isTTY) progress.show(count, total, `entries, at index ${entry.index}`);
  }
  progress.clear();
  await output.end(references.lastLine(signed));
  return count;
}

/** Null for an entry that the checkpoint does not cover. */
function proverOf(pool: OpenPipeline['pool'], size: number): (entry: AuditEntry) => Promise<Buffer[] | null> {
  const prover = new EntryProver(pool, size);
  return async ({ index }) => (index < size ? prover.prove(Number(index)) : null);
}
