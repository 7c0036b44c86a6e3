import type { TopicContract } from '@weir/contracts';
import type { Replication, WantedTopic } from '@weir/event-log/kafka';

/** The topic contracts as Kafka settings, as far as this cluster's size allows. */
export function wantedTopics(contracts: readonly TopicContract[], { minInsync }: Replication): WantedTopic[] {
  return contracts.map(({ name, partitions, retentionMs, cleanup, minInsyncReplicas, maxBytes }) => ({
    name,
    partitions,
    config: {
      'cleanup.policy': cleanup,
      'retention.ms': String(retentionMs),
      'max.message.bytes': String(maxBytes),
      'min.insync.replicas': String(Math.min(minInsyncReplicas, minInsync)),
      // The broker's time, whatever the producer's clock says.
      'message.timestamp.type': 'LogAppendTime',
    },
  }));
}
