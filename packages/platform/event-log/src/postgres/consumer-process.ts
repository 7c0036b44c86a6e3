import { systemClock } from '@weir/clock';
import { openPool, openSession } from '@weir/postgres';
import { consumeAloud } from '../consume.testing.ts';
import { openPostgresLog } from './log.ts';

/** A consumer process for tests to kill. Environment: DATABASE_URL, GROUP, TOPIC. */
const { DATABASE_URL: url = '', GROUP: group = '', TOPIC: topic = '' } = process.env;
const log = openPostgresLog({
  pool: openPool({ url, max: 3 }),
  session: await openSession({ url, clock: systemClock }),
  clock: systemClock,
});
await consumeAloud(log, group, topic);
