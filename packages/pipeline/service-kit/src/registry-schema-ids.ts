import type { SchemaIds, Topic } from '@weir/contracts';
import { systemClock } from '@weir/clock';

/** Where the schema registry is, and who asks it. */
export interface RegistryConnection {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
}

/**
 * What can go wrong with the registry.
 *
 * | Code | Retriable | What to do |
 * |---|---|---|
 * | `REGISTRY_UNAVAILABLE` | yes | see that it runs and can be reached; nothing was changed |
 * | `REGISTRY_REFUSED` | no | see the message: a schema it takes for incompatible, or credentials it does not take |
 */
class SchemaRegistryError extends Error {
  readonly code: 'REGISTRY_UNAVAILABLE' | 'REGISTRY_REFUSED';
  readonly retriable: boolean;

  constructor(code: 'REGISTRY_UNAVAILABLE' | 'REGISTRY_REFUSED', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SchemaRegistryError';
    this.code = code;
    this.retriable = code === 'REGISTRY_UNAVAILABLE';
  }
}

const mediaType = 'application/vnd.schemaregistry.v1+json';
const timeoutMs = 5_000;
/** Waits before each further attempt, within about a second; the caller retries later. */
const retryDelaysMs = [100, 200, 400];

/** Subject of a topic's values, by the name that every tool of Kafka's looks for. */
export const subjectOf = (topic: Topic): string => `${topic}-value`;

/**
 * Numbers from a schema registry. A schema is registered as it stands in the contracts, once its subject holds all versions to reading
 * each other (FULL_TRANSITIVE). Schemas found by number are kept: a number never changes its meaning.
 */
export function registrySchemaIds(connection: RegistryConnection): SchemaIds {
  const found = new Map<number, string>();
  const ask = openRegistry(connection);
  return {
    register: async (topic, schema) => {
      const subject = subjectOf(topic);
      const known = await findSchemaId(ask, subject, schema);
      if (known !== undefined) return known;
      await ask('PUT', `/config/${encodeURIComponent(subject)}`, { compatibility: 'FULL_TRANSITIVE' });
      const id = idOf(await ask('POST', `/subjects/${encodeURIComponent(subject)}/versions`, avro(schema)));
      if (id === undefined) throw new SchemaRegistryError('REGISTRY_REFUSED', `the schema registry has no place for ${subject}`);
      return id;
    },
    find: async (id) => {
      const kept = found.get(id);
      if (kept !== undefined) return kept;
      // A number beyond its range is nobody's, and some registries would answer with an error of their own.
      if (id > 2_147_483_647) return undefined;
      const info = (await ask('GET', `/schemas/ids/${id}`)) as { schema?: unknown; schemaType?: unknown } | undefined;
      if (typeof info?.schema !== 'string' || (info.schemaType ?? 'AVRO') !== 'AVRO') return undefined;
      found.set(id, info.schema);
      return info.schema;
    },
  };
}

/** The number of a schema in its subject, or undefined where the registry does not have it. Registers nothing. */
export async function findSchemaId(ask: AskRegistry, subject: string, schema: string): Promise<number | undefined> {
  return idOf(await ask('POST', `/subjects/${encodeURIComponent(subject)}`, avro(schema)));
}

const avro = (schema: string) => ({ schemaType: 'AVRO', schema });

function idOf(answer: unknown): number | undefined {
  const { id } = (answer ?? {}) as { id?: unknown };
  return typeof id === 'number' ? id : undefined;
}

/** Calls the registry's REST API; undefined for a subject or schema it does not know (404). Rejects with `SchemaRegistryError`. */
export type AskRegistry = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>;

export function openRegistry({ url, username, password }: RegistryConnection): AskRegistry {
  const headers: Record<string, string> = { accept: mediaType, 'content-type': mediaType };
  if (username !== undefined && password !== undefined)
    headers['authorization'] = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const base = url.replace(/\/+$/, '');
  return async (method, path, body) => {
    for (let attempt = 0; ; attempt++) {
      const answer = await send(base + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
      if (answer.status === 404) return undefined;
      if (answer.status !== undefined && answer.status < 300) return answer.body;
      const error = registryError(answer.status);
      const delayMs = retryDelaysMs[attempt];
      if (!error.retriable || delayMs === undefined) throw error;
      await systemClock.sleep(delayMs);
    }
  };
}

/** Without a status where no whole answer came. The error is dropped: it may quote the address or the credentials. */
async function send(url: string, request: RequestInit): Promise<{ status?: number; body?: unknown }> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    return response.ok ? { status: response.status, body: JSON.parse(text) as unknown } : { status: response.status };
  } catch {
    return {};
  }
}

function registryError(status: number | undefined): SchemaRegistryError {
  if (status === 409)
    return new SchemaRegistryError('REGISTRY_REFUSED', 'the schema registry refused a schema: it is incompatible with an earlier version');
  if (status === 401 || status === 403)
    return new SchemaRegistryError(
      'REGISTRY_REFUSED',
      `the schema registry refused the credentials (HTTP ${status}); "weir topics apply", run by a user who may write, registers schemas`,
    );
  if (status === undefined || status >= 500 || status === 408 || status === 429)
    return new SchemaRegistryError('REGISTRY_UNAVAILABLE', 'the schema registry of SCHEMA_REGISTRY_URL cannot be reached');
  return new SchemaRegistryError('REGISTRY_REFUSED', `the schema registry refused (HTTP ${status})`);
}
