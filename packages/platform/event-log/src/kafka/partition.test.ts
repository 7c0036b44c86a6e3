import fc from 'fast-check';
import kafkajs, { type PartitionMetadata } from 'kafkajs';
import { expect, test } from 'vitest';
import { partitionOf } from './partition.ts';

const ofKafkajs = kafkajs.Partitioners.DefaultPartitioner();
/** It reads nothing else of them. */
const numbered = (partitions: number): PartitionMetadata[] =>
  Array.from({ length: partitions }, (_, partitionId) => ({ partitionId })) as PartitionMetadata[];

test('a key is in the partition that other clients put it into', () => {
  const keys = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uuid(), fc.constant(''));
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 300 }), (key, partitions) => {
      const message = { key, value: null };
      expect(partitionOf(key, partitions)).toBe(ofKafkajs({ topic: 't', partitionMetadata: numbered(partitions), message }));
    }),
    { numRuns: 2_000 },
  );
});
