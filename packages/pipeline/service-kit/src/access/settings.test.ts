import { describe, expect, test } from 'vitest';
import { ConfigError, listSettings, loadConfig } from '../config.ts';
import { accessSchema, signInOptions } from './settings.ts';

const read = (env: NodeJS.ProcessEnv) => signInOptions(loadConfig(accessSchema, env));
const all = { WEIR_OIDC_ISSUER: 'https://id.example/realms/one', WEIR_OIDC_AUDIENCE: 'weir', WEIR_OIDC_ROLE_MAP: 'a=reviewer' };

test('nothing set: people do not sign in', () => {
  expect(read({})).toBeUndefined();
});

test('what is set is taken', () => {
  expect(read({ ...all, WEIR_OIDC_ROLE_CLAIM: 'realm_access.roles', WEIR_OIDC_CLOCK_TOLERANCE_MS: '0' })).toEqual({
    issuer: 'https://id.example/realms/one',
    audience: 'weir',
    roleClaim: 'realm_access.roles',
    roles: new Map([['a', 'reviewer']]),
    clockToleranceMs: 0,
    timeoutMs: 2_000,
  });
});

test.each([
  [' a=reviewer , b c=approver,', { a: 'reviewer', 'b c': 'approver' }],
  ['cn=a=auditor', { 'cn=a': 'auditor' }],
  ['{"a, b=c": "admin", "__proto__": "auditor"}', { 'a, b=c': 'admin', ['__proto__']: 'auditor' }],
])('the roles of %s', (text, roles) => {
  expect(read({ ...all, WEIR_OIDC_ROLE_MAP: text })?.roles).toEqual(new Map(Object.entries(roles)));
});

test.each(['http://localhost:8080', 'http://127.0.0.1:8080/a', 'http://[::1]/', 'https://id.example/'])(
  '%s may be a provider',
  (issuer) => {
    expect(read({ ...all, WEIR_OIDC_ISSUER: issuer })?.issuer).toBe(issuer);
  },
);

describe('refused:', () => {
  test.each<[string, string]>([
    ['WEIR_OIDC_ISSUER', 'http://id.example'],
    ['WEIR_OIDC_ISSUER', 'http://127.0.0.1.example'],
    ['WEIR_OIDC_ISSUER', 'https://sesame@id.example'],
    ['WEIR_OIDC_ISSUER', 'https://id.example/?a=sesame'],
    ['WEIR_OIDC_ISSUER', 'id.example'],
    ['WEIR_OIDC_ROLE_MAP', 'sesame'],
    ['WEIR_OIDC_ROLE_MAP', 'sesame='],
    ['WEIR_OIDC_ROLE_MAP', '=reviewer'],
    ['WEIR_OIDC_ROLE_MAP', 'sesame=reviewer,sesame=approver'],
    ['WEIR_OIDC_ROLE_MAP', 'sesame=ingest'],
    ['WEIR_OIDC_ROLE_MAP', 'sesame=gate'],
    ['WEIR_OIDC_ROLE_MAP', 'sesame=Reviewer'],
    ['WEIR_OIDC_ROLE_MAP', '{"sesame": ["reviewer"]}'],
    ['WEIR_OIDC_ROLE_MAP', '{"sesame": '],
    ['WEIR_OIDC_ROLE_CLAIM', 'ses ame'],
    ['WEIR_OIDC_CLOCK_TOLERANCE_MS', '300001'],
    ['WEIR_OIDC_TIMEOUT_MS', '0'],
    ['WEIR_TRUSTED_PROXIES', 'sesame'],
    ['WEIR_AUTH_FAILURES_PER_MINUTE', '0'],
  ])('%s=%s', (env, value) => {
    const refused = (): unknown => read({ ...all, [env]: value });
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(`setting ${env} is wrong: `);
    expect(refused).not.toThrow('sesame');
  });

  test.each(['WEIR_OIDC_ISSUER', 'WEIR_OIDC_AUDIENCE', 'WEIR_OIDC_ROLE_MAP'])('the others without %s', (env) => {
    const refused = (): unknown => read({ ...all, [env]: '' });
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(`setting ${env} is missing`);
  });
});

test('each has a line for people', () => {
  for (const { env, doc } of listSettings(accessSchema, loadConfig(accessSchema, {}))) {
    expect(env).toMatch(/^WEIR_/);
    expect(doc.length).toBeGreaterThan(10);
  }
});
