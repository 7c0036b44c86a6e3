import type { TopicRecords } from './generated/records.ts';

export type Topic = keyof TopicRecords;

/** Every topic, in the order a transfer passes them. */
export const topics: readonly Topic[] = [
  'deposits.detected',
  'withdrawals.requested',
  'screenings.requested',
  'screenings.scored',
  'reviews.resolved',
  'screenings.decided',
];

/** Where records of a topic go that cannot be processed: the original bytes, with a reason code in the headers. */
export function deadLetterTopic(topic: Topic): string {
  return `${topic}.dlq`;
}

/** How a topic is to be made, on whatever log. What the embedded log has no use for is Kafka's. */
export interface TopicContract {
  readonly name: string;
  readonly partitions: number;
  /** How long a record is kept, in milliseconds. */
  readonly retentionMs: number;
  /** `delete` for all: a key's later record does not replace the earlier ones, for each is an event of its own. */
  readonly cleanup: 'delete' | 'compact';
  /** Copies that must have a record before it is acknowledged; three are kept. */
  readonly minInsyncReplicas: number;
  /** Largest record: the evidence of a screening is at most 1 MB, and travels with the transfer. */
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
 * Four partitions let four replicas of a service share a topic; one suffices for what should be rare. A week is time to mend what
 * reads too slowly, a quarter of a year to look into a dead letter; the audit log keeps everything for good.
 */
export const topicSpecs: readonly TopicContract[] = topics.flatMap((name) => [
  contract(name, 4, 7 * day),
  contract(deadLetterTopic(name), 1, 90 * day),
]);
