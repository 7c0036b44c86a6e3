import { type CryptoKey, createRemoteJWKSet, customFetch, errors, importJWK, type JSONWebKeySet, type JWK } from 'jose';

/** Resolves to the gate's public key of that `kid`, or undefined. Rejects when the keys are unavailable. */
export type PermitKeys = (kid: string) => Promise<CryptoKey | undefined>;

/** Keys from a JWKS in memory. Ignores all but Ed25519 signature keys. */
export function localKeys(jwks: JSONWebKeySet): PermitKeys {
  const keys = new Map(jwks.keys.filter(isPermitKey).map((jwk) => [jwk.kid, jwk]));
  const imported = new Map<string, Promise<CryptoKey>>();
  return async (kid) => {
    const jwk = keys.get(kid);
    if (jwk === undefined) return undefined;
    const key = imported.get(kid) ?? (importJWK(publicPart(jwk), 'EdDSA') as Promise<CryptoKey>);
    imported.set(kid, key);
    return key;
  };
}

function isPermitKey(jwk: JWK): jwk is JWK & { kid: string; x: string } {
  const isFor = (value: string | undefined, wanted: string): boolean => value === undefined || value === wanted;
  return jwk.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.kid === 'string' && isFor(jwk.use, 'sig') && isFor(jwk.alg, 'EdDSA');
}

function publicPart({ x }: { x: string }): JWK {
  return { kty: 'OKP', crv: 'Ed25519', x };
}

export interface RemoteKeysOptions {
  /** For one fetch, its body included. Default 3,000. */
  readonly timeoutMs?: number;
  /** Keys older than this are fetched again; without them nothing verifies. Default 300,000. */
  readonly maxAgeMs?: number;
  /** After a fetch, an unknown `kid` causes no new one until this has passed. Default 5,000. */
  readonly cooldownMs?: number;
  /** Default 65,536. */
  readonly maxBytes?: number;
  readonly fetch?: typeof fetch;
}

/** Fetches the gate's `/.well-known/jwks.json` when needed and caches it. Follows no redirect. */
export function remoteKeys(url: string | URL, options: RemoteKeysOptions = {}): PermitKeys {
  const { timeoutMs = 3_000, maxAgeMs = 300_000, cooldownMs = 5_000, maxBytes = 65_536 } = options;
  const find = createRemoteJWKSet(new URL(url), {
    timeoutDuration: timeoutMs,
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    [customFetch]: async (address, init) => bounded(await (options.fetch ?? fetch)(address, init), maxBytes),
  });
  return (kid) =>
    find({ alg: 'EdDSA', kid }).catch((error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    });
}

async function bounded(answer: Response, maxBytes: number): Promise<Response> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += piece.length;
    if (length > maxBytes) throw new Error(`the keys have more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return new Response(Buffer.concat(pieces), { status: answer.status, headers: { 'content-type': 'application/json' } });
}
