import { writeSync } from 'node:fs';
import { systemClock } from '@weir/clock';
import { openPool } from '@weir/postgres';
import { transfer, txid } from './facts.testing.ts';
import { importFacts } from './import-facts.ts';

/**
 * A process of its own for tests to kill: imports the given number of transfers into the given database, a batch for each ten, and says after each
 * how far it is.
 */
const pool = openPool({ url: process.argv[2] ?? '' });
const count = Number(process.argv[3]);
let moment = 0;
/** Each tenth record finds that a batch has taken long enough. */
const clock = { ...systemClock, monotonic: () => (moment += 1_500) };
await importFacts(pool, {
  kind: 'transfers',
  key: 'killed',
  name: 'killed.csv',
  clock,
  onRejected: () => undefined,
  onProgress: ({ records }) => writeSync(1, `${records}\n`),
  read: async function* (after) {
    for (let n = after + 1; n <= count; n += 1) yield { number: n, rows: [{ ...transfer, txid: txid(n), usdValue: `${n}.01` }] };
  },
});
await pool.end();
