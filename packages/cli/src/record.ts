import { type Codec, type Topic, topics, UndecodableRecord } from '@weir/contracts';

/** What a record's bytes say; null when they say nothing. A dead letter is read as what it was meant to be. */
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
