import type { BlockList } from 'node:net';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Context, MiddlewareHandler } from 'hono';
import { loadConfig } from '../config.ts';
import { problem } from '../problem.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { clientAddress, parseNetworks } from './client-address.ts';
import { FailureLimits, type Try } from './failures.ts';
import { GoodTokens } from './good-tokens.ts';
import { isJwt } from './identity.ts';
import { retryAfterMs } from './provider.ts';
import { ProviderUnavailable } from './provider-keys.ts';
import { RequestLimits } from './request-limits.ts';
import { type Caller, machineRoles, type Role } from './roles.ts';
import { type AccessSettings, accessSchema, signInOptions } from './settings.ts';
import { type Refusal, SignIn, type SignedIn } from './sign-in.ts';
import { SpareChecks } from './spare-checks.ts';
import { findToken, hashToken } from './tokens.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `requireRole`. */
    caller: Caller;
  }
}

export interface AccessOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Absent settings have their defaults. */
  readonly settings?: Partial<AccessSettings> | undefined;
}

type Denial = Refusal | { readonly reason: 'malformed' | 'unknown'; readonly detail?: undefined };

/** A stored token has 43 characters; a signed one has a few thousand with many groups. Longer ones are not hashed. */
const longest = { stored: 512, signed: 8_192 };

/** Authenticates callers by stored tokens, and by an OIDC provider's if one is set. */
export class Access {
  readonly #db: Queryable;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #trusted: BlockList;
  readonly #limits: FailureLimits;
  readonly #goodTokens: GoodTokens;
  readonly #spareChecks: SpareChecks;
  readonly #signIn: SignIn | undefined;
  readonly #tokenPerSecond: number;
  readonly #requests: RequestLimits;

  /** Throws `ConfigError` for contradictory settings. */
  constructor({ db, clock, logger, metrics, settings: given }: AccessOptions) {
    const settings = { ...loadConfig(accessSchema, {}), ...given };
    const signIn = signInOptions(settings);
    this.#db = db;
    this.#logger = logger;
    this.#metrics = metrics;
    // `increase` sees the first one only if the series existed before.
    metrics.authFailures.inc({ reason: 'unavailable' }, 0);
    this.#trusted = parseNetworks(settings.trustedProxies);
    this.#limits = new FailureLimits(clock, { perAddress: settings.authFailuresPerMinute, overall: settings.authFailuresPerMinuteOverall });
    this.#goodTokens = new GoodTokens(db, clock);
    this.#spareChecks = new SpareChecks(clock);
    this.#tokenPerSecond = settings.tokenPerSecond;
    this.#requests = new RequestLimits(clock);
    const onFailure = (err: unknown): void => logger.warn({ err }, 'the OIDC provider cannot be asked for its keys; it is asked again');
    this.#signIn = signIn === undefined ? undefined : new SignIn(signIn, clock, onFailure);
  }

  /** For `/readyz`: problems that do not stop machine callers. */
  warnings(): string[] {
    const failure = this.#signIn?.provider.failure;
    return failure === undefined ? [] : [`the OIDC provider cannot be asked: ${failure}`];
  }

  /** The caller, or an error response: 401, 403 without any role, 429 after too many failures, 503 while the provider is unavailable. */
  async callerOf(c: Context): Promise<Caller | Response> {
    const header = c.req.header('authorization') ?? '';
    if (header === '') return this.#unauthenticated(c, 'missing');
    const address = clientAddress(c, this.#trusted);
    const attempt = this.#limits.take(address);
    let found: Caller | SignedIn | Denial;
    try {
      found = await this.#look(header, attempt.limitedBy);
    } catch (error) {
      attempt.refund();
      if (!(error instanceof ProviderUnavailable)) throw error;
      this.#metrics.authFailures.inc({ reason: 'unavailable' });
      c.header('retry-after', String(retryAfterMs / 1_000));
      return problem(c, 503, 'UNAVAILABLE', 'the token cannot be checked now; try again');
    }
    if ('reason' in found) return this.#refuse(c, found, attempt, address);
    attempt.refund();
    const { role } = found;
    if (role === undefined) return problem(c, 403, 'FORBIDDEN', 'the provider gives you no role here');
    return { ...found, role };
  }

  /** 429 for a machine above its request limit. */
  limit(c: Context, { id, role, limits }: Caller): Response | undefined {
    if (!machineRoles.includes(role)) return undefined;
    const perSecond = limits?.perSecond ?? this.#tokenPerSecond;
    const waitMs = this.#requests.take(id, perSecond);
    if (waitMs === 0) return undefined;
    this.#metrics.tokenLimited.inc({ role });
    c.header('retry-after', String(Math.ceil(waitMs / 1_000)));
    return problem(c, 429, 'TOO_MANY_REQUESTS', `this token may send ${perSecond} requests in a second; try again`);
  }

  /** Checks limited callers cheaply, since a good token is valid from any address. */
  async #look(header: string, limitedBy: Try['limitedBy']): Promise<Caller | SignedIn | Denial> {
    const token = header.length > longest.signed + 16 ? undefined : /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1];
    if (token === undefined) return { reason: 'malformed' };
    if (this.#signIn !== undefined && isJwt(token)) return this.#lookAtSigned(this.#signIn, token, limitedBy);
    if (token.length > longest.stored) return { reason: 'malformed' };
    const hash = hashToken(token);
    if (limitedBy !== undefined && !(await this.#goodTokens.has(hash))) return { reason: 'unknown' };
    return (await findToken(this.#db, hash)) ?? { reason: 'unknown' };
  }

  async #lookAtSigned(signIn: SignIn, token: string, limitedBy: Try['limitedBy']): Promise<SignedIn | Denial> {
    const hash = hashToken(token);
    if (limitedBy !== undefined && !this.#spareChecks.take(hash, limitedBy)) return { reason: 'unknown' };
    const found = await signIn.look(token);
    if (!('reason' in found)) this.#spareChecks.remember(hash);
    return found;
  }

  #refuse(c: Context, { reason, detail }: Denial, attempt: Try, address: string): Response {
    const { limitedForMs } = attempt;
    if (limitedForMs === 0) {
      this.#logger.info({ reason, detail, address }, 'authentication failed');
      return this.#unauthenticated(c, reason);
    }
    // Logs once per limit, not once per attempt.
    if (attempt.refuse())
      this.#logger.warn({ address, for_ms: limitedForMs }, 'too many authentications failed; bad tokens are answered with 429');
    this.#metrics.authFailures.inc({ reason: 'limited' });
    const seconds = Math.ceil(limitedForMs / 1_000);
    c.header('retry-after', String(seconds));
    return problem(c, 429, 'TOO_MANY_FAILURES', `too many tokens from here were not good; try again in ${seconds} s`);
  }

  #unauthenticated(c: Context, reason: string): Response {
    this.#metrics.authFailures.inc({ reason });
    c.header('www-authenticate', 'Bearer');
    return problem(c, 401, 'UNAUTHENTICATED', 'a valid bearer token is needed');
  }
}

/** Finds the caller of a request, and limits how much it may ask for. */
export type Callers = Pick<Access, 'callerOf' | 'limit'>;

/** Sets `caller` if it has one of the `allowed` roles. 403 for other roles, 429 for too many requests; see `Access.callerOf`. */
export function requireRole(callers: Callers, allowed: readonly Role[]): MiddlewareHandler {
  return async (c, next) => {
    const caller = await callers.callerOf(c);
    if (caller instanceof Response) return caller;
    if (!allowed.includes(caller.role)) return problem(c, 403, 'FORBIDDEN', `the role ${caller.role} may not do this`);
    const limited = callers.limit(c, caller);
    if (limited !== undefined) return limited;
    c.set('caller', caller);
    return next();
  };
}
