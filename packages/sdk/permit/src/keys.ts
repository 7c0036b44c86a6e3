import { type CryptoKey, createRemoteJWKSet, customFetch, errors, importJWK, type JSONWebKeySet, type JWK } from 'jose';

/** Finds the gate's public key of a name; undefined when it has none. Rejects when that cannot be known now. */
export type PermitKeys = (kid: string) => Promise<CryptoKey | undefined>;

/** Keys that are at hand, as `/.well-known/jwks.json` has them. What is not an Ed25519 key for signatures is left out. */
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
  /** How long keys are believed; then they are fetched again, and without them nothing verifies. Default 300,000. */
  readonly maxAgeMs?: number;
  /** After a fetch, keys with unknown names are not looked for again until this has passed. Default 5,000. */
  readonly cooldownMs?: number;
  /** Default 65,536. */
  readonly maxBytes?: number;
  readonly fetch?: typeof fetch;
}

/** Keys from the gate's `/.well-known/jwks.json`: fetched when needed, kept for some minutes. No redirect is followed. */
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

/** The same answer, which fails when it is longer than that. */
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
