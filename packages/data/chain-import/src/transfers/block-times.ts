import { index, instant, required, Unusable } from '../source/fields.ts';
import { readTable } from '../source/table.ts';

/** Kept in memory; a year of Ethereum has 2.6 million blocks. */
const mostBlocks = 5_000_000;
const heights = ['number', 'block_number', 'block_id'] as const;
const times = ['timestamp', 'block_timestamp'] as const;

/** Reads tables with height and time: the exporters' blocks or transactions. Throws for other files and broken records. */
export async function readBlockTimes(paths: readonly string[]): Promise<(height: number) => string | undefined> {
  const byHeight = new Map<number, string>();
  for (const path of paths) {
    await readTable(path, [heights, times], (fields) => {
      byHeight.set(index(fields, ...heights), instant(required(fields, ...times), 'timestamp'));
      if (byHeight.size > mostBlocks) throw new Unusable(`more than ${mostBlocks} blocks; import in parts`);
    });
  }
  return (height) => byHeight.get(height);
}
