import { Codec, type Topic } from '@weir/contracts';
import { openRegistry, type RegistryConnection, subjectOf } from './registry-schema-ids.ts';

/** What the registry has of a topic. */
export interface SubjectState {
  readonly topic: Topic;
  readonly subject: string;
  /** Whether the schema that this version writes is there. */
  readonly isRegistered: boolean;
  /** To what a new schema is held: the subject's own level, else the registry's. */
  readonly compatibility: string;
}

/** Looks at the registry and changes nothing. Rejects with an error that has one line, as `registrySchemaIds` does. */
export async function surveyRegistry(connection: RegistryConnection): Promise<SubjectState[]> {
  const ask = openRegistry(connection);
  const schemas: { topic: Topic; schema: string }[] = [];
  // The codec knows them; here it finds nothing to be done.
  await Codec.open({ register: async (topic, schema) => schemas.push({ topic, schema }), find: async () => undefined });
  const states: SubjectState[] = [];
  for (const { topic, schema } of schemas) {
    const subject = subjectOf(topic);
    const id = await ask((registry) => registry.getId(subject, { schemaType: 'AVRO', schema }));
    const own = await ask((registry) => registry.getCompatibility(subject));
    const level = own ?? (await ask((registry) => registry.getDefaultCompatibility()));
    states.push({ topic, subject, isRegistered: id !== undefined, compatibility: level ?? 'NONE' });
  }
  return states;
}
