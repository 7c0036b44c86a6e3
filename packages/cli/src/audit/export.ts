import {
  type AuditEntry,
  auditMigrations,
  EntryProver,
  exportCheckpoint,
  exportEntries,
  exportEntry,
  type ExportSelection,
  exportSize,
} from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import type { OpenPipeline } from '@weir/service-kit';
import { decodeRecord } from '@weir/service-kit';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note } from '../output.ts';
import { openProgress } from '../progress.ts';
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
    await migrate(pipeline.pool, 'audit', auditMigrations);
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
  const acts = new Acts(isPart);
  const write = async (entry: AuditEntry): Promise<void> => {
    const data = await decodeRecord(entry.topic, entry.value, codec);
    await references.see(entry, data);
    await output.write(entryLine(entry, data, await prove?.(entry)));
    acts.see(entry);
    count += 1;
    if (!process.stdout.isTTY) progress.show(count, total, `entries, at index ${entry.index}`);
  };
  for await (const entry of exportEntries(pool, selection)) await write(entry);
  for (const eventId of acts.missing()) {
    const act = await exportEntry(pool, eventId);
    if (act !== undefined) await write(act);
  }
  progress.clear();
  await output.end(references.lastLine(signed));
  return count;
}

/** The acts that erased entries of a part. Without them the part does not verify. */
export class Acts {
  readonly #isPart: boolean;
  readonly #seen = new Set<string>();
  readonly #named = new Set<string>();

  constructor(isPart: boolean) {
    this.#isPart = isPart;
  }

  see({ event_id, topic, erased_by }: AuditEntry): void {
    if (topic === 'activities.recorded') this.#seen.add(event_id);
    if (erased_by !== null) this.#named.add(erased_by);
  }

  /** Their event ids. The whole log has them all. */
  missing(): readonly string[] {
    return this.#isPart ? [...this.#named].filter((id) => !this.#seen.has(id)) : [];
  }
}

/** Null for an entry that the checkpoint does not cover. */
function proverOf(pool: OpenPipeline['pool'], size: number): (entry: AuditEntry) => Promise<Buffer[] | null> {
  const prover = new EntryProver(pool, size);
  return async ({ index }) => (index < size ? prover.prove(Number(index)) : null);
}
