import type { TopicRecords } from './generated/records.ts';

export type Topic = keyof TopicRecords;

/** In the order in which a transfer passes them, then those that concern no transfer. */
export const topics: readonly Topic[] = [
  'deposits.detected',
  'withdrawals.requested',
  'screenings.requested',
  'screenings.scored',
  'reviews.resolved',
  'screenings.decided',
  'labels.changed',
  'activities.recorded',
];

/** For records that cannot be processed: the original bytes, with a reason code in the headers. */
export function deadLetterTopic(topic: Topic): string {
  return `${topic}.dlq`;
}

/** The embedded log ignores Kafka's own settings. */
export interface TopicContract {
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
  /** `delete` for all: each record is an event, so a later one replaces nothing. */
  readonly cleanup: 'delete' | 'compact';
  /** Kafka's `min.insync.replicas`, of three replicas. */
  readonly minInsyncReplicas: number;
  /** A screening's evidence, at most 1 MB, travels with the transfer. */
  readonly maxBytes: number;
}

const day = 86_400_000;
const mebibyte = 1_048_576;

const contract = (name: string, partitions: number, retentionMs: number): TopicContract => ({
  name,
  partitions,
  retentionMs,
  cleanup: 'delete',
  minInsyncReplicas: 2,
  maxBytes: 4 * mebibyte,
});

/**
 * Four partitions let four replicas share a topic; dead letters are rare and need one. A week suffices to repair a slow consumer,
 * 90 days to study a dead letter. The audit log keeps everything.
 */
export const topicSpecs: readonly TopicContract[] = topics.flatMap((name) => [
  contract(name, 4, 7 * day),
  contract(deadLetterTopic(name), 1, 90 * day),
]);
