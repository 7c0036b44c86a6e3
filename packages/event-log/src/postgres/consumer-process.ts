import { systemClock } from '@weir/clock';
import { openPool, openSession } from '@weir/postgres';
import { openPostgresLog } from './log.ts';

/**
 * A consumer in a process of its own, for tests that kill it. From the environment: DATABASE_URL, GROUP, TOPIC.
 * Writes the value of each completed record to stdout, a line each.
 */
const { DATABASE_URL: url = '', GROUP: group = '', TOPIC: topic = '' } = process.env;
const log = openPostgresLog({
  pool: openPool({ url, max: 3 }),
  session: await openSession({ url, clock: systemClock }),
  clock: systemClock,
});
await log.subscribe({
  group,
  topics: [topic],
  maxInFlight: 8,
  maxBatch: 2,
  handle: async (records) => {
    await systemClock.sleep(20);
    for (const record of records) process.stdout.write(`${record.value.toString()}\n`);
  },
});
