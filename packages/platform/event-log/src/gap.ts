import { EventLogError } from './errors.ts';
import type { LogGap, PartitionLag } from './port.ts';

export function gapError({ group, topic, partition, missing, available }: LogGap): EventLogError {
  return new EventLogError(
    'LOG_GAP',
    `${group} has stopped reading ${topic}/${partition}: offsets ${missing} to ${available - 1n} are gone and it had yet to read them, ` +
      `${available} is the first there is; "weir topics rebuild ${group} --topic ${topic}" publishes again what is stored of them, and then ` +
      `"weir topics resume ${group} --topic ${topic} --from earliest" goes on`,
  );
}

/** The gap of a partition whose first record lies above `committed`. */
export function gapOf(group: string, topic: string, partition: number, committed: bigint, available: bigint): Pick<PartitionLag, 'gap'> {
  return committed < available ? { gap: { group, topic, partition, missing: committed, available } } : {};
}
