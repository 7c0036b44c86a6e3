const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

/**
 * The partition of a key: murmur2 of its UTF-8 bytes, as Kafka's own clients choose it (`org.apache.kafka.common.utils.Utils.murmur2`), so
 * that other writers use the same one. `partitions`: how many the topic has. kafkajs counts with BigInt, which takes ten times as long.
 */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

/** 32 bits, signed. */
function murmur2(bytes: Buffer): number {
  let hash = seed ^ bytes.length;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    const block = Math.imul(bytes.readInt32LE(at), multiplier);
    hash = Math.imul(hash, multiplier) ^ Math.imul(block ^ (block >>> 24), multiplier);
  }
  const rest = bytes.length - at;
  if (rest > 0) hash = Math.imul(hash ^ bytes.readUIntLE(at, rest), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
