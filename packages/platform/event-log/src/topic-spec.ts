import { EventLogError } from './errors.ts';
import type { TopicSpec } from './port.ts';

/** PostgreSQL's smallint numbers the partitions. */
const mostPartitions = 32_767;
/** Apache Kafka's rule, so that every log accepts the name. */
const topicName = /^[a-zA-Z0-9._-]{1,249}$/;

/** Throws `INVALID_TOPIC` for the first invalid spec. */
export function checkTopics(topics: readonly TopicSpec[]): void {
  for (const { name, partitions } of topics) {
    if (!topicName.test(name)) throw new EventLogError('INVALID_TOPIC', `${JSON.stringify(name.slice(0, 300))} is not a topic's name`);
    if (!Number.isInteger(partitions) || partitions < 1 || partitions > mostPartitions) {
      throw new EventLogError('INVALID_TOPIC', `${name} cannot have ${partitions} partitions`);
    }
  }
}
