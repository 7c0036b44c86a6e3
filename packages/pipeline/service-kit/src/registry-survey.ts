import { Codec, type Topic } from '@weir/contracts';
import { openRegistry, type RegistryConnection, subjectOf } from './registry-schema-ids.ts';

export interface SubjectState {
  readonly topic: Topic;
  readonly subject: string;
  readonly isRegistered: boolean;
  /** The compatibility level of the subject, else the registry's. */
  readonly compatibility: string;
}

/** Inspects the registry and changes nothing. Rejects with a one-line error, as `registrySchemaIds` does. */
export async function surveyRegistry(connection: RegistryConnection): Promise<SubjectState[]> {
  const ask = openRegistry(connection);
  const schemas: { topic: Topic; schema: string }[] = [];
  // Collects the codec's schemas; `find` is never needed.
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
