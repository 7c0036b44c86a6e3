import { type Clock, systemClock } from '@weir/clock';
import { Hono } from 'hono';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { serve } from '../http.ts';

type Page = 'discovery' | 'keys';

/** An OIDC provider on loopback with discovery, and keys made at run time. */
export interface TestProvider {
  readonly issuer: string;
  readonly asked: Record<Page, number>;
  readonly signing: { readonly key: CryptoKey; readonly jwk: JWK };
  /** An access token for `audience`, valid for five minutes. Undefined claims and headers are left out. */
  token(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: CryptoKey): Promise<string>;
  /** Publishes and uses a new signing key. `keepOld` keeps the previous one published. */
  rotate(options?: { alg?: string; keepOld?: boolean }): Promise<void>;
  /** Replaces a page's response; undefined restores it. */
  answer(page: Page, instead: (() => Response | Promise<Response>) | undefined): void;
  stop(): Promise<void>;
}

export const testAudience = 'https://weir.example';

export async function startTestProvider(clock: Clock = systemClock): Promise<TestProvider> {
  const published: JWK[] = [];
  const instead: Partial<Record<Page, () => Response | Promise<Response>>> = {};
  const asked = { discovery: 0, keys: 0 };
  let issuer = '';
  let made = 0;
  let signing: TestProvider['signing'];
  const rotate: TestProvider['rotate'] = async ({ alg = 'RS256', keepOld = true } = {}) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    made += 1;
    const jwk = { ...(await exportJWK(publicKey)), kid: `key-${made}`, alg, use: 'sig' };
    if (!keepOld) published.splice(0);
    published.push(jwk);
    signing = { key: privateKey, jwk };
  };
  await rotate();
  const app = new Hono();
  const page = (name: Page, body: () => object) => async (): Promise<Response> => {
    asked[name] += 1;
    return (await instead[name]?.()) ?? Response.json(body());
  };
  app.get(
    '/.well-known/openid-configuration',
    page('discovery', () => ({ issuer, jwks_uri: `${issuer}/keys`, authorization_endpoint: `${issuer}/a` })),
  );
  app.get(
    '/keys',
    page('keys', () => ({ keys: published })),
  );
  const server = await serve(app, { host: '127.0.0.1', port: 0 });
  issuer = `http://127.0.0.1:${server.port}`;
  return {
    issuer,
    asked,
    get signing() {
      return signing;
    },
    token: (claims = {}, header = {}, key = signing.key) => {
      const now = Math.floor(clock.now() / 1_000);
      return new SignJWT({ iss: issuer, aud: testAudience, sub: 'ann', iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: signing.jwk.alg ?? '', kid: signing.jwk.kid ?? '', typ: 'JWT', ...header })
        .sign(key);
    },
    rotate,
    answer: (name, how) => {
      if (how === undefined) delete instead[name];
      else instead[name] = how;
    },
    stop: () => server.close(0),
  };
}
