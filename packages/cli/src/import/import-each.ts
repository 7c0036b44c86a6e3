import { basename } from 'node:path';
import type { LabelRow, TransferRow } from '@weir/chain-import';
import type { Pool } from '@weir/postgres';
import { Interrupted } from '../failure.ts';
import { withInstallation } from '../installation.ts';
import { note, printJson } from '../output.ts';
import type { ImportFlags } from './flags.ts';
import { reportJson, reportLines } from './report.ts';
import { type Outcome, runImport, type Source } from './run.ts';

type Rows = { labels: LabelRow; transfers: TransferRow };

/**
 * Imports the sources in order and reports each. On Ctrl-C it stores the records already read; the next run continues. Exit code 1 when
 * any row was rejected.
 */
export async function importEach<K extends keyof Rows>(
  flags: ImportFlags,
  kind: K,
  sources: (signal: AbortSignal) => AsyncIterable<Source<Rows[K]>>,
  finish?: (pool: Pool) => Promise<void>,
): Promise<void> {
  const outcomes: Outcome[] = [];
  const stop = new AbortController();
  const work = async (pool: Pool): Promise<void> => {
    for await (const source of sources(stop.signal)) {
      if (stop.signal.aborted) return;
      const outcome = await runImport(pool, kind, source, stop.signal);
      outcomes.push(outcome);
      for (const line of flags.json ? [] : reportLines(outcome)) note(line);
    }
    await finish?.(pool);
  };
  try {
    await withInstallation(flags, async ({ pool }, _settings, undo) => {
      const working = work(pool);
      undo.push(async () => {
        stop.abort();
        await working;
      });
      await working;
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted('interrupted; everything read is stored, and the same command continues there');
  } finally {
    // Also reports sources that ended before a failure.
    if (flags.json && outcomes.length > 0) await printJson(outcomes.map(reportJson));
  }
  if (outcomes.some(({ run }) => run.rejected > 0)) process.exitCode = 1;
}

/** The file for rejected rows. */
export function rejectedFileOf(name: string, flags: Pick<ImportFlags, 'rejected'>): string {
  return flags.rejected ?? `${basename(name)}.rejected.jsonl`;
}
