import { systemClock } from '@weir/clock';
import { openKafkaLog } from './log.ts';

/**
 * A consumer in a process of its own, for tests that kill it. From the environment: BROKERS, GROUP, TOPIC.
 * Writes the value of each completed record to stdout, a line each.
 */
const { BROKERS: brokers = '', GROUP: group = '', TOPIC: topic = '' } = process.env;
const log = openKafkaLog({ connection: { brokers: brokers.split(',') }, clock: systemClock });
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
