import type { SchemaIds, Topic } from '@weir/contracts';
import type { SchemaRegistryClient } from '@confluentinc/schemaregistry';
import { importOptional, optionalPackages } from '@weir/optional-packages';

export interface RegistryConnection {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

/**
 * Errors of the registry.
 *
 * | Code | Retriable | Remedy |
 * |---|---|---|
 * | `REGISTRY_UNAVAILABLE` | yes | see that it runs and can be reached; nothing was changed |
 * | `REGISTRY_REFUSED` | no | see the message: a schema it takes for incompatible, or credentials it does not take |
 */
class SchemaRegistryError extends Error {
  readonly code: 'REGISTRY_UNAVAILABLE' | 'REGISTRY_REFUSED';
  readonly retriable: boolean;
  /** HTTP 409: incompatible, or registered by another process meanwhile. */
  readonly isConflict: boolean;

  constructor(code: 'REGISTRY_UNAVAILABLE' | 'REGISTRY_REFUSED', message: string, isConflict = false) {
    super(message);
    this.name = 'SchemaRegistryError';
    this.code = code;
    this.isConflict = isConflict;
    this.retriable = code === 'REGISTRY_UNAVAILABLE';
  }
}

const timeoutMs = 5_000;
/** Retries within about a second; the caller retries later. */
const retries = { maxRetries: 3, retriesWaitMs: 100, retriesMaxWaitMs: 500 };

/** Several processes may register the same schema at once, and the registry accepts one of them. */
const registrations = 5;

/** The subject of a topic's values, by Kafka's TopicNameStrategy. */
export const subjectOf = (topic: Topic): string => `${topic}-value`;

/** Registers each schema after setting its subject to FULL_TRANSITIVE. Caches schemas by id, since an id never changes its meaning. */
export function registrySchemaIds(connection: RegistryConnection): SchemaIds {
  const found = new Map<number, string>();
  const ask = openRegistry(connection);
  return {
    register: async (topic, schema) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await findOrRegister(ask, subjectOf(topic), schema);
        } catch (error) {
          // Another process was quicker, or the schema is incompatible: then no attempt succeeds.
          if (!(error instanceof SchemaRegistryError) || !error.isConflict || attempt === registrations) throw error;
        }
      }
    },
    find: async (id) => {
      const kept = found.get(id);
      if (kept !== undefined) return kept;
      // Beyond the range no schema exists, and some registries answer with their own error.
      if (id > 2_147_483_647) return undefined;
      const info = await ask((registry) => registry.getBySubjectAndId('', id));
      if (info === undefined || (info.schemaType ?? 'AVRO') !== 'AVRO') return undefined;
      found.set(id, info.schema);
      return info.schema;
    },
  };
}

async function findOrRegister(ask: AskRegistry, subject: string, schema: string): Promise<number> {
  const info = { schemaType: 'AVRO', schema };
  const known = await ask((registry) => registry.getId(subject, info));
  if (known !== undefined) return known;
  await ask((registry) => holdToCompatibility(registry, subject));
  const id = await ask((registry) => registry.register(subject, info));
  if (id === undefined) throw new SchemaRegistryError('REGISTRY_REFUSED', `the schema registry has no place for ${subject}`);
  return id;
}

/** Queries the registry; undefined for 404. Rejects with `SchemaRegistryError` or `MissingPackageError`. */
export type AskRegistry = <T>(question: (client: SchemaRegistryClient) => Promise<T>) => Promise<T | undefined>;

export function openRegistry(connection: RegistryConnection): AskRegistry {
  let client: SchemaRegistryClient | undefined;
  return async (question) => {
    // Outside the try: a missing package is not an unreachable registry.
    const library = await loadLibrary();
    try {
      return await question((client ??= connect(library, connection)));
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw registryError(error);
    }
  };
}

/** Loaded at first use: it takes half a second, and only Kafka needs it. */
const loadLibrary = () => importOptional('Kafka', optionalPackages.kafka, () => import('@confluentinc/schemaregistry'));
type Library = Awaited<ReturnType<typeof loadLibrary>>;

function connect({ SchemaRegistryClient }: Library, { url, username, password }: RegistryConnection): SchemaRegistryClient {
  const credentials =
    username === undefined || password === undefined
      ? {}
      : { basicAuthCredentials: { credentialsSource: 'USER_INFO' as const, userInfo: `${username}:${password}` } };
  return new SchemaRegistryClient({
    baseURLs: [url],
    createAxiosDefaults: { timeout: timeoutMs, maxRedirects: 0 },
    ...retries,
    ...credentials,
  });
}

async function holdToCompatibility(registry: SchemaRegistryClient, subject: string): Promise<void> {
  const { Compatibility } = await loadLibrary();
  await registry.updateConfig(subject, { compatibility: Compatibility.FULL_TRANSITIVE });
}

function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
}

/** The client's own errors carry the credentials, so they go no further. */
function registryError(error: unknown): SchemaRegistryError {
  const status = statusOf(error);
  if (status === 409)
    return new SchemaRegistryError(
      'REGISTRY_REFUSED',
      'the schema registry refused a schema: it is incompatible with an earlier version',
      true,
    );
  if (status === 401 || status === 403)
    return new SchemaRegistryError(
      'REGISTRY_REFUSED',
      `the schema registry refused the credentials (HTTP ${status}); "weir topics apply", run by a user who may write, registers schemas`,
    );
  if (status === undefined || status >= 500 || status === 408 || status === 429)
    return new SchemaRegistryError('REGISTRY_UNAVAILABLE', 'the schema registry of SCHEMA_REGISTRY_URL cannot be reached');
  return new SchemaRegistryError('REGISTRY_REFUSED', `the schema registry refused (HTTP ${status})`);
}
