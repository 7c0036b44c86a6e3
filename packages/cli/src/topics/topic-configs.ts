import type { TopicContract } from '@weir/contracts';
import type { Replication, WantedTopic } from '@weir/event-log/kafka';

/** The contracts in Kafka's words, as far as a cluster of this size can keep them. */
export function wantedTopics(contracts: readonly TopicContract[], { minInsync }: Replication): WantedTopic[] {
  return contracts.map(({ name, partitions, retentionMs, cleanup, minInsyncReplicas, maxBytes }) => ({
    name,
    partitions,
    config: {
      'cleanup.policy': cleanup,
      'retention.ms': String(retentionMs),
      'max.message.bytes': String(maxBytes),
      'min.insync.replicas': String(Math.min(minInsyncReplicas, minInsync)),
      // A record's time is when the log took it, whatever its writer's clock says.
      'message.timestamp.type': 'LogAppendTime',
    },
  }));
}
