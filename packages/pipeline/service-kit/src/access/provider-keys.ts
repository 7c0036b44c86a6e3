import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import { isProviderUrl } from './settings.ts';

/** The provider's keys cannot be read now, so its tokens cannot be checked. */
export class ProviderUnavailable extends Error {
  readonly code = 'PROVIDER_UNAVAILABLE';
  readonly retriable = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUnavailable';
  }
}

const discoveryPage = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysPage = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
const maxPageBytes = 1_048_576;

/**
 * The provider's current keys, by OpenID Connect Discovery 1.0. Rejects with `ProviderUnavailable`, also if the issuer differs (section
 * 4.3), since the keys would be another provider's.
 */
export async function readProviderKeys(issuer: string, timeoutMs: number): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMs);
  const discovered = await readPage(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, discoveryPage, signal);
  if (discovered.issuer !== issuer) throw new ProviderUnavailable('the discovery names another issuer');
  if (!isKeysUrl(discovered.jwks_uri)) throw new ProviderUnavailable('the jwks_uri in the discovery is not an https address');
  return readPage(discovered.jwks_uri, keysPage, signal);
}

/** Unlike the issuer, it may have a query. */
function isKeysUrl(text: string): boolean {
  return isProviderUrl(text.replace(/\?[^#]*/, ''));
}

async function readPage<T>(url: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
  const page = new URL(url).pathname;
  let bytes: Buffer;
  try {
    const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json, application/jwk-set+json' } });
    if (response.status !== 200) throw new ProviderUnavailable(`${page} answers with HTTP ${response.status}`);
    bytes = await readBytes(response);
  } catch (cause) {
    throw cause instanceof ProviderUnavailable ? cause : new ProviderUnavailable(`${page} cannot be read`, { cause });
  }
  const parsed = schema.safeParse(parseJson(bytes));
  if (!parsed.success) throw new ProviderUnavailable(`${page} is not what it should be`);
  return parsed.data;
}

async function readBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxPageBytes) throw new ProviderUnavailable('an answer of the provider is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
