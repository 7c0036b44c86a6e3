import { randomBytes } from 'node:crypto';
import { ConfigError, listSettings, loadConfig } from '@weir/service-kit';
import { expect, test } from 'vitest';
import { consoleSchema } from '../config.ts';
import { endpointOf } from './config.ts';

const secretOf = (bytes: number): string => `whsec_${randomBytes(bytes).toString('base64')}`;
const secret = secretOf(32);
const read = (env: Record<string, string>) => endpointOf(loadConfig(consoleSchema, env));
const https = { WEIR_WEBHOOK_URL: 'https://exchange.example/hook', WEIR_WEBHOOK_SECRETS: secret };

test('without an address there are no webhooks, and with one they are signed by every secret', () => {
  expect(read({})).toBeUndefined();
  expect(read({ ...https, WEIR_WEBHOOK_URL: '' })).toBeUndefined();
  expect(read({ ...https, WEIR_WEBHOOK_SECRETS: `${secret}, ${secretOf(24)},${secretOf(64)}` })?.signers).toHaveLength(3);
  expect(read({ ...https, WEIR_WEBHOOK_RETRY_DELAYS_S: '1, 60' })?.delaysMs).toEqual([1_000, 60_000]);
  expect(read(https)).toMatchObject({ timeoutMs: 10_000, delaysMs: { length: 9, 0: 5_000, 8: 86_400_000 } });
});

test.each(['http://127.0.0.1:9/hook', 'http://localhost/hook', 'http://[::1]:9/hook'])('%s is on this machine', (url) => {
  expect(read({ ...https, WEIR_WEBHOOK_URL: url })?.url.href).toBe(url);
});

test.each<[string, Record<string, string>, string]>([
  ['http to elsewhere', { WEIR_WEBHOOK_URL: 'http://exchange.example/hook' }, 'WEIR_WEBHOOK_URL is wrong: must be https'],
  ['http to a name that only begins so', { WEIR_WEBHOOK_URL: 'http://127.0.0.1.example/' }, 'WEIR_WEBHOOK_URL is wrong: must be https'],
  ['a user in the address', { WEIR_WEBHOOK_URL: 'https://a:sesame@exchange.example/' }, 'must have no user, password or fragment'],
  ['no secret', { WEIR_WEBHOOK_SECRETS: '' }, 'WEIR_WEBHOOK_SECRETS is missing'],
  ['a short secret', { WEIR_WEBHOOK_SECRETS: secretOf(23) }, 'WEIR_WEBHOOK_SECRETS is wrong: must be whsec_'],
  ['a long secret', { WEIR_WEBHOOK_SECRETS: secretOf(65) }, 'WEIR_WEBHOOK_SECRETS is wrong: must be whsec_'],
  ['a secret of another kind', { WEIR_WEBHOOK_SECRETS: `whsk_${secret.slice(6)}` }, 'WEIR_WEBHOOK_SECRETS is wrong: must be whsec_'],
  ['half a secret', { WEIR_WEBHOOK_SECRETS: secret.slice(0, -2) }, 'WEIR_WEBHOOK_SECRETS is wrong: must be whsec_'],
  ['an empty place', { WEIR_WEBHOOK_SECRETS: `${secret},` }, 'WEIR_WEBHOOK_SECRETS is wrong: must be whsec_'],
  ['six secrets', { WEIR_WEBHOOK_SECRETS: Array(6).fill(secret).join(',') }, 'WEIR_WEBHOOK_SECRETS is wrong: must be whsec_'],
  ['no delay', { WEIR_WEBHOOK_RETRY_DELAYS_S: '5,,5' }, 'WEIR_WEBHOOK_RETRY_DELAYS_S is wrong: must be 1 to 50'],
  ['a delay of more than a week', { WEIR_WEBHOOK_RETRY_DELAYS_S: '604801' }, 'WEIR_WEBHOOK_RETRY_DELAYS_S is wrong: must be 1 to 50'],
])('%s is refused in one line that holds no value', (_, over, said) => {
  const refused = (): unknown => read({ ...https, ...over });
  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(said);
  for (const value of Object.values(over).filter((text) => text !== '' && !text.includes(',,'))) expect(refused).not.toThrow(value);
});

test('http to another machine takes a setting of its own', () => {
  expect(read({ ...https, WEIR_WEBHOOK_URL: 'http://inner.example/', WEIR_WEBHOOK_ALLOW_HTTP: 'true' })?.url.host).toBe('inner.example');
});

test('the list of settings masks the secrets', () => {
  const shown = JSON.stringify(listSettings(consoleSchema, loadConfig(consoleSchema, https)));
  expect(shown).toContain('"env":"WEIR_WEBHOOK_SECRETS"');
  expect(shown).not.toContain(secret.slice(6));
});
