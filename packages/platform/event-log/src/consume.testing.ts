import { systemClock } from '@weir/clock';
import type { EventLog } from './port.ts';

/** A consumer process for tests to kill: prints the value of each completed record, one per line. */
export async function consumeAloud(log: EventLog, group: string, topic: string): Promise<void> {
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
}
