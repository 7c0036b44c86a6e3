import type { Clock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { type EventLog, EventLogError } from '@weir/event-log';
import { ConfigError } from './config.ts';
import type { KafkaTier } from './kafka-connection.ts';

/** Opens the log on Kafka. `weir topics apply` creates topics, so this only checks them. */
export async function openKafkaTier({ kafka }: KafkaTier, clock: Clock, onError: (error: unknown) => void): Promise<EventLog> {
  // Only the Kafka tier loads it.
  const { openKafkaLog } = await import('@weir/event-log/kafka');
  const log = openKafkaLog({ connection: kafka, clock, onError });
  try {
    await checkTopics(log);
    return log;
  } catch (error) {
    await log.close();
    // Names the setting that chose Kafka.
    if (error instanceof EventLogError)
      throw new ConfigError(`setting KAFKA_BROKERS is wrong, or its brokers cannot be reached: ${error.message}`);
    throw error;
  }
}

async function checkTopics(log: EventLog): Promise<void> {
  const missing: string[] = [];
  for (const { name, partitions } of topicSpecs) {
    const found = await partitionsOrNone(log, name);
    if (found < partitions) missing.push(found === 0 ? name : `${name} (${found} of ${partitions} partitions)`);
  }
  if (missing.length > 0) throw new ConfigError(`Kafka lacks topics: ${missing.join(', ')}; run "weir topics apply"`);
}

async function partitionsOrNone(log: EventLog, name: string): Promise<number> {
  return log.partitions(name).catch((error: unknown) => {
    if (error instanceof EventLogError && error.code === 'UNKNOWN_TOPIC') return 0;
    throw error;
  });
}

export async function isKafkaAway(log: EventLog): Promise<boolean> {
  return log.partitions(topicSpecs[0]?.name ?? '').then(
    () => false,
    () => true,
  );
}
