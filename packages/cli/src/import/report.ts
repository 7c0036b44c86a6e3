import { plain } from '../output.ts';
import { countsOf, type Outcome } from './run.ts';

/** The outcome of an import, as lines for a person. */
export function reportLines(outcome: Outcome): string[] {
  const { run, after, records, rows, left, seconds } = outcome;
  const name = plain(run.name);
  if (after === undefined)
    return [
      `${name}: imported before, on ${run.finishedAt?.toISOString() ?? run.updatedAt.toISOString()} (${countsOf(run)}). Nothing was changed.`,
    ];
  const begun = after === 0 ? '' : `went on after record ${after}; `;
  const without = [...left].map(([why, count]) => `${count} ${why}`);
  const lines = [`${name}: ${begun}${records} records; ${countsOf(run)}; ${seconds.toFixed(1)} s, ${rateOf(rows, seconds)} rows/s.`];
  if (without.length > 0) lines.push(`  Left out: ${without.join(', ')}.`);
  if (run.rejected > 0) lines.push(`  The rejected rows are in ${plain(outcome.rejectedFile)}.`);
  return lines;
}

/** The same for programs. `last_record` counts over all runs of an import; `records`, `left_out` and `seconds` count this run. */
export function reportJson(outcome: Outcome): object {
  const { run, after, records, rows, left, seconds } = outcome;
  return {
    name: run.name,
    import: run.key,
    done_before: after === undefined,
    records,
    last_record: run.records,
    new: run.inserted,
    known: run.unchanged,
    known_usd: run.kind === 'transfers' ? run.mergedUsd : null,
    rejected: run.rejected,
    ended: run.ended,
    left_out: Object.fromEntries([...left].map(([why, count]) => [why.replaceAll(' ', '_'), count])),
    rejected_file: run.rejected > 0 ? outcome.rejectedFile : null,
    seconds: Number(seconds.toFixed(3)),
    rows_per_second: rateOf(rows, seconds),
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

function rateOf(rows: number, seconds: number): number {
  return Math.round(rows / Math.max(seconds, 0.001));
}
