import type { Clock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { type EventLog, EventLogError } from '@weir/event-log';
import { ConfigError } from './config.ts';
import type { KafkaTier } from './kafka-connection.ts';

/** Opens the log on Kafka. Topics are made by `weir topics apply`, so here they are only looked at. */
export async function openKafkaTier({ kafka }: KafkaTier, clock: Clock, onError: (error: unknown) => void): Promise<EventLog> {
  // Loaded only where it is used.
  const { openKafkaLog } = await import('@weir/event-log/kafka');
  const log = openKafkaLog({ connection: kafka, clock, onError });
  try {
    await checkTopics(log);
    return log;
  } catch (error) {
    await log.close();
    // It is told with the setting that chose it.
    if (error instanceof EventLogError) throw new ConfigError(`setting KAFKA_BROKERS is wrong, or its brokers are away: ${error.message}`);
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

/** Whether the brokers answer. */
export async function isKafkaAway(log: EventLog): Promise<boolean> {
  return log.partitions(topicSpecs[0]?.name ?? '').then(
    () => false,
    () => true,
  );
}
