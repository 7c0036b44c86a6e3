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

/** Four partitions let four replicas of a service share a topic; one suffices for what should be rare. */
export const topicSpecs: readonly { name: string; partitions: number }[] = topics.flatMap((name) => [
  { name, partitions: 4 },
  { name: deadLetterTopic(name), partitions: 1 },
]);
