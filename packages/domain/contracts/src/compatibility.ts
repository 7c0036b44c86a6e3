import avro from 'avsc';

/** `version` counts from 1. */
export interface ReleasedSchema {
  readonly topic: string;
  readonly version: number;
  readonly text: string;
}

/**
 * One line per incompatibility. The schema registry enforces FULL_TRANSITIVE: every version must read the records of every other.
 * A released topic must stay.
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
