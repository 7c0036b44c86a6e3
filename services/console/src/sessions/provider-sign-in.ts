import { nameOf, personId, personRoleOf, type Role, type signInOptions } from '@weir/service-kit';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  ClientSecretBasic,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';

export interface ProviderSignInOptions {
  readonly provider: NonNullable<ReturnType<typeof signInOptions>>;
  readonly clientId: string;
  /** Empty: a public client, which PKCE protects. */
  readonly clientSecret: string;
  /** With spaces. */
  readonly scopes: string;
}

/** Of one attempt, kept by the browser that makes it. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person of the provider; no role where the provider gives none that is mapped. */
export interface ProviderPerson {
  readonly id: string;
  readonly name: string;
  readonly role: Role | undefined;
}

/** Signs people in at the page of an OIDC provider: authorization code with PKCE (RFC 7636). Its ID token says who they are. */
export class ProviderSignIn {
  readonly #options: ProviderSignInOptions;
  #discovered: Promise<Configuration> | undefined;

  constructor(options: ProviderSignInOptions) {
    this.#options = options;
  }

  /** Where the browser goes. Rejects while the provider cannot be reached. */
  async begin(redirectUri: string): Promise<{ url: URL; attempt: Attempt }> {
    const config = await this.#configuration();
    const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.#options.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url, attempt };
  }

  /** Exchanges the code in the address that the provider sent the browser to. Rejects if any of it is wrong. */
  async finish(address: URL, { state, nonce, verifier }: Attempt): Promise<ProviderPerson> {
    const { issuer, roleClaim, roles } = this.#options.provider;
    const tokens = await authorizationCodeGrant(await this.#configuration(), address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider gave no ID token');
    const id = personId(issuer, claims.sub);
    return { id, name: nameOf(claims) || id, role: personRoleOf(claims, roleClaim, roles) };
  }

  /** Kept once it has worked. */
  #configuration(): Promise<Configuration> {
    this.#discovered ??= this.#discover().catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }

  async #discover(): Promise<Configuration> {
    const { provider, clientId, clientSecret } = this.#options;
    const issuer = new URL(provider.issuer);
    // The setting allows http on loopback alone.
    const isPlain = issuer.protocol === 'http:';
    const auth = clientSecret === '' ? None() : ClientSecretBasic(clientSecret);
    const config = await discovery(issuer, clientId, { [clockTolerance]: provider.clockToleranceMs / 1_000 }, auth, {
      timeout: Math.max(provider.timeoutMs / 1_000, 1),
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    });
    return config;
  }
}
