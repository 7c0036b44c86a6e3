import { writeSync } from 'node:fs';
import { systemClock } from '@weir/clock';
import { openPool } from '@weir/postgres';
import { transfer, txid, unobserved } from '../testing.ts';
import { importChainRecords } from './import-records.ts';

/** A process for tests to kill: imports the given number of transfers in batches of ten, or of the given bytes, and prints its progress after each. */
const pool = openPool({ url: process.argv[2] ?? '' });
const count = Number(process.argv[3]);
const batchBytes = process.argv[4];
let moment = 0;
/** Makes every tenth record close its batch. */
const clock = { ...systemClock, monotonic: () => (moment += 1_500) };
await importChainRecords(pool, {
  observer: unobserved,
  kind: 'transfers',
  key: 'killed',
  name: 'killed.csv',
  clock,
  ...(batchBytes === undefined ? {} : { batchBytes: Number(batchBytes) }),
  onRejected: () => undefined,
  onProgress: ({ records }) => writeSync(1, `${records}\n`),
  read: async function* (after) {
    for (let n = after + 1; n <= count; n += 1) yield { number: n, rows: [{ ...transfer, txid: txid(n), usd_value: `${n}.01` }] };
  },
});
await pool.end();
