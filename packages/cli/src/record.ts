import { type Codec, type Topic, topics, UndecodableRecord } from '@weir/contracts';

/** Decodes a record; null when it cannot be decoded. A dead letter uses its source topic's schema. */
export async function decode(topic: string, value: Buffer, codec: Codec): Promise<unknown> {
  const original = topic.replace(/\.dlq$/, '');
  if (!isTopic(original)) return null;
  try {
    return await codec.decode(original, value);
  } catch (error) {
    if (error instanceof UndecodableRecord) return null;
    throw error;
  }
}

export function isTopic(name: string): name is Topic {
  return (topics as readonly string[]).includes(name);
}
