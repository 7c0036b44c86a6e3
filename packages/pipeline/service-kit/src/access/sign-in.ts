import type { Clock } from '@weir/clock';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { nameOf, personId, roleOf } from './identity.ts';
import { Provider } from './provider.ts';
import type { ProviderUnavailable } from './provider-keys.ts';
import type { Caller, PersonRole } from './roles.ts';
import type { SignInOptions } from './settings.ts';

/** Asymmetric only: with a shared secret, the public key would serve as the secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
/** RFC 9068 has `at+jwt`; most providers send `JWT` or nothing. Other types are not access tokens. */
const accessTokenTypes: ReadonlySet<unknown> = new Set(['at+jwt', 'application/at+jwt', 'jwt', undefined]);
/** OpenID Connect Core 1.0, section 2. */
const longestSubject = 255;

/** A rejected token: the metric's reason, and the part that failed. */
export interface Refusal {
  readonly reason: 'expired' | 'invalid';
  readonly detail: string;
}

/** The token's person; no role if the provider gives none that is mapped. */
export type SignedIn = Omit<Caller, 'role'> & { readonly role: PersonRole | undefined };

/** Authenticates people by an OIDC provider's access tokens. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #clock: Clock;
  readonly provider: Provider;

  constructor(options: SignInOptions, clock: Clock, onFailure: (error: ProviderUnavailable) => void) {
    this.#options = options;
    this.#clock = clock;
    this.provider = new Provider({ ...options, clock, onFailure });
  }

  /** Rejects with `ProviderUnavailable` while the token cannot be checked. */
  async look(token: string): Promise<SignedIn | Refusal> {
    const { issuer, audience, roleClaim, roles, clockToleranceMs } = this.#options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.provider.key, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#clock.now()),
        clockTolerance: clockToleranceMs / 1_000,
      });
      const foreign = whyForeign(protectedHeader, payload);
      if (foreign !== undefined) return { reason: 'invalid', detail: foreign };
      const id = personId(issuer, String(payload.sub));
      return { id, name: nameOf(payload) || id, role: roleOf(payload, roleClaim, roles) };
    } catch (error) {
      if (error instanceof errors.JWTExpired) return { reason: 'expired', detail: 'exp' };
      if (error instanceof errors.JWTClaimValidationFailed) return { reason: 'invalid', detail: error.claim };
      if (error instanceof errors.JOSEError) return { reason: 'invalid', detail: error.code };
      if (error instanceof TypeError || error instanceof DOMException) return { reason: 'invalid', detail: error.name };
      throw error;
    }
  }
}

/** Why a valid token is no bearer access token: the same keys sign the provider's other tokens. */
function whyForeign(header: JWTHeaderParameters, claims: JWTPayload): string | undefined {
  if (!accessTokenTypes.has(header.typ?.toLowerCase())) return 'typ';
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > longestSubject) return 'sub';
  // Bound to a key of the sender (RFC 7800, RFC 8705, RFC 9449), which nothing checks here.
  if (claims['cnf'] !== undefined) return 'cnf';
  const isIdToken = claims['at_hash'] !== undefined || claims['typ'] === 'ID' || claims['token_use'] === 'id';
  return isIdToken || claims['events'] !== undefined ? 'not an access token' : undefined;
}
