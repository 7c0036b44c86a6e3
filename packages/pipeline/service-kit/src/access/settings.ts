import type { Schema } from 'convict';
import { ConfigError, isLoopback } from '../config.ts';
import { parseNetworks } from './client-address.ts';
import { parseRoleMap } from './role-map.ts';
import { type PersonRole, personRoles } from './roles.ts';

/** Authentication settings. An empty issuer: stored tokens alone. */
export interface AccessSettings {
  oidcIssuer: string;
  oidcAudience: string;
  oidcRoleClaim: string;
  oidcRoleMap: string;
  oidcClockToleranceMs: number;
  oidcTimeoutMs: number;
  trustedProxies: string;
  authFailuresPerMinute: number;
  authFailuresPerMinuteOverall: number;
  tokenPerSecond: number;
}

export const accessSchema: Schema<AccessSettings> = {
  oidcIssuer: {
    doc: 'OIDC provider whose tokens people may come with, as its discovery calls itself; https, or http on loopback. Empty: stored tokens alone',
    format: (value: unknown) => {
      if (value !== '' && (typeof value !== 'string' || !isProviderUrl(value)))
        throw new Error('must be an https address (http on loopback)');
    },
    default: '',
    env: 'WEIR_OIDC_ISSUER',
  },
  oidcAudience: {
    doc: "What the tokens' aud must name: this API, as the provider knows it",
    format: String,
    default: '',
    env: 'WEIR_OIDC_AUDIENCE',
  },
  oidcRoleClaim: {
    doc: "Claim that holds a person's groups or roles; inside another with dots, as in realm_access.roles",
    format: (value: unknown) => {
      if (typeof value !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(value)) throw new Error('must be 1 to 256 visible ASCII characters');
    },
    default: 'roles',
    env: 'WEIR_OIDC_ROLE_CLAIM',
  },
  oidcRoleMap: {
    doc: `Which role a group gives, group=role,group=role or JSON {"group": "role"}; roles: ${personRoles.join(', ')}. Who has several is the first of these`,
    format: (value: unknown) => void parseRoleMap(value),
    default: '',
    env: 'WEIR_OIDC_ROLE_MAP',
  },
  oidcClockToleranceMs: {
    doc: "How far the provider's clock may be from ours; at most 300000",
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > 300_000)
        throw new Error('must be a whole number from 0 to 300000');
    },
    default: 30_000,
    env: 'WEIR_OIDC_CLOCK_TOLERANCE_MS',
  },
  oidcTimeoutMs: {
    doc: 'How long the provider may take to give its keys; who comes with a token of it meanwhile waits',
    format: 'positive-int',
    default: 2_000,
    env: 'WEIR_OIDC_TIMEOUT_MS',
  },
  trustedProxies: {
    doc: 'Addresses and networks of proxies whose X-Forwarded-For is believed, with commas; empty: the client is who connects',
    format: (value: unknown) => void parseNetworks(String(value)),
    default: '',
    env: 'WEIR_TRUSTED_PROXIES',
  },
  authFailuresPerMinute: {
    doc: 'Failed authentications of one client address in a minute, in this process; then its bad tokens are answered with 429 and looked at no more',
    format: 'positive-int',
    default: 20,
    env: 'WEIR_AUTH_FAILURES_PER_MINUTE',
  },
  authFailuresPerMinuteOverall: {
    doc: 'The same for all addresses together',
    format: 'positive-int',
    default: 600,
    env: 'WEIR_AUTH_FAILURES_PER_MINUTE_OVERALL',
  },
  tokenPerSecond: {
    doc: 'Requests in a second of one token of a machine (ingest, gate) in this process; then 429. A token made with --per-second has its own limit',
    format: 'positive-int',
    default: 1_000,
    env: 'WEIR_TOKEN_PER_SECOND',
  },
};

/** HTTPS or loopback, without parts that appending a path would lose or expose. */
export function isProviderUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const { protocol, username, password, search, hash } = url;
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isLoopback(url)));
}

export interface SignInOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly roleClaim: string;
  readonly roles: ReadonlyMap<string, PersonRole>;
  readonly clockToleranceMs: number;
  readonly timeoutMs: number;
}

/** Undefined without OIDC. Throws `ConfigError` for contradictory settings. */
export function signInOptions(settings: AccessSettings): SignInOptions | undefined {
  const { oidcIssuer: issuer, oidcAudience: audience, oidcRoleMap } = settings;
  if (issuer === '') {
    if (audience !== '' || oidcRoleMap !== '')
      throw new ConfigError('setting WEIR_OIDC_ISSUER is missing: other settings of OIDC are there');
    return undefined;
  }
  // Without an audience any token of the provider would pass, whomever it was issued for.
  if (audience === '') throw new ConfigError('setting WEIR_OIDC_AUDIENCE is missing: WEIR_OIDC_ISSUER needs it');
  const roles = parseRoleMap(oidcRoleMap);
  if (roles.size === 0) throw new ConfigError('setting WEIR_OIDC_ROLE_MAP is missing: without it nobody has a role');
  const { oidcRoleClaim: roleClaim, oidcClockToleranceMs: clockToleranceMs, oidcTimeoutMs: timeoutMs } = settings;
  return { issuer, audience, roleClaim, roles, clockToleranceMs, timeoutMs };
}
