import avro from 'avsc';

/** One schema of a topic as it was released; `version` counts from 1. */
export interface ReleasedSchema {
  readonly topic: string;
  readonly version: number;
  readonly text: string;
}

/**
 * Why a topic's schema cannot stand beside those that were released: one line each. With FULL_TRANSITIVE, what the registry holds us to,
 * each must be able to read what any other wrote. A topic that has been released cannot vanish.
 */
export function incompatibilities(current: ReadonlyMap<string, string>, released: readonly ReleasedSchema[]): string[] {
  return released.flatMap(({ topic, version, text }) => {
    const now = current.get(topic);
    if (now === undefined) return [`${topic}: was released and is gone`];
    return [
      ...whyUnreadable(now, text).map((why) => `${topic}: cannot read what version ${version} wrote: ${why}`),
      ...whyUnreadable(text, now).map((why) => `${topic}: version ${version} cannot read what it writes: ${why}`),
    ];
  });
}

function whyUnreadable(reader: string, writer: string): string[] {
  try {
    typeOf(reader).createResolver(typeOf(writer));
    return [];
  } catch (error) {
    return [(error as Error).message.split('\n')[0] ?? 'incompatible'];
  }
}

function typeOf(text: string): avro.Type {
  return avro.Type.forSchema(JSON.parse(text));
}
