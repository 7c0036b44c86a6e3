import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, listSettings, loadConfig } from './config.ts';
import { kafkaTier } from './kafka-connection.ts';
import { kafkaSchema } from './kafka-settings.ts';

const tierOf = (env: NodeJS.ProcessEnv): ReturnType<typeof kafkaTier> => kafkaTier(loadConfig(kafkaSchema, env));
const brokers = { KAFKA_BROKERS: 'one:9092, two.example:9093,[::1]:9094' };
const both = { ...brokers, SCHEMA_REGISTRY_URL: 'http://registry:8081/' };
const registry = { url: 'http://registry:8081' };

let folder: string;
const file = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-kafka-settings-'));
  for (const name of ['ca', 'cert', 'key']) writeFileSync(file(name), name.toUpperCase());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('nothing set is the embedded log', () => {
  expect(tierOf({})).toBeUndefined();
});

test('brokers and a registry', () => {
  expect(tierOf(both)).toEqual({ kafka: { brokers: ['one:9092', 'two.example:9093', '[::1]:9094'] }, registry });
});

test('TLS with an authority, a certificate and its key', () => {
  const env = {
    ...both,
    KAFKA_SECURITY_PROTOCOL: 'SSL',
    KAFKA_SSL_CA_FILE: file('ca'),
    KAFKA_SSL_CERT_FILE: file('cert'),
    KAFKA_SSL_KEY_FILE: file('key'),
    KAFKA_SSL_KEY_PASSWORD: 'sesame',
  };
  expect(tierOf(env)?.kafka).toMatchObject({ tls: { ca: 'CA', cert: 'CERT', key: 'KEY', keyPassword: 'sesame' } });
  expect(tierOf({ ...both, KAFKA_SECURITY_PROTOCOL: 'SSL' })?.kafka).toMatchObject({ tls: {} });
});

test('a name and a password, over TLS and without', () => {
  const env = { ...both, KAFKA_SASL_USERNAME: 'weir', KAFKA_SASL_PASSWORD: 'sesame' };
  const sasl = { mechanism: 'SCRAM-SHA-512', username: 'weir', password: 'sesame' };
  expect(tierOf({ ...env, KAFKA_SECURITY_PROTOCOL: 'SASL_SSL' })?.kafka).toMatchObject({ tls: {}, sasl });
  const plain = tierOf({ ...env, KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT', KAFKA_SASL_MECHANISM: 'PLAIN' })?.kafka;
  expect(plain?.sasl).toEqual({ ...sasl, mechanism: 'PLAIN' });
  expect(plain?.tls).toBeUndefined();
});

test('tokens', () => {
  const env = {
    ...both,
    KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
    KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
    KAFKA_SASL_OAUTH_TOKEN_URL: 'https://id.example/token',
    KAFKA_SASL_OAUTH_CLIENT_ID: 'weir',
    KAFKA_SASL_OAUTH_CLIENT_SECRET: 'sesame',
  };
  const sasl = { mechanism: 'OAUTHBEARER', tokenUrl: 'https://id.example/token', clientId: 'weir', clientSecret: 'sesame' };
  expect(tierOf(env)?.kafka.sasl).toEqual(sasl);
  expect(tierOf({ ...env, KAFKA_SASL_OAUTH_SCOPE: 'kafka' })?.kafka.sasl).toEqual({ ...sasl, scope: 'kafka' });
});

test('a registry that asks for a name', () => {
  const env = { ...both, SCHEMA_REGISTRY_USERNAME: 'weir', SCHEMA_REGISTRY_PASSWORD: 'sesame' };
  expect(tierOf(env)?.registry).toEqual({ ...registry, username: 'weir', password: 'sesame' });
});

describe('settings that do not fit together are one line that names one:', () => {
  test.each<[string, NodeJS.ProcessEnv]>([
    ['SCHEMA_REGISTRY_URL is wrong: Kafka needs a schema registry, and it is not set', brokers],
    ['SCHEMA_REGISTRY_URL is wrong: it goes with KAFKA_BROKERS, which is not set', { SCHEMA_REGISTRY_URL: 'http://sesame' }],
    [
      'SCHEMA_REGISTRY_URL is wrong: credentials go into SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD',
      { ...brokers, SCHEMA_REGISTRY_URL: 'http://who:sesame@registry' },
    ],
    ['KAFKA_SASL_USERNAME is wrong: KAFKA_SECURITY_PROTOCOL asks for it', { ...both, KAFKA_SECURITY_PROTOCOL: 'SASL_SSL' }],
    [
      'KAFKA_SASL_OAUTH_TOKEN_URL is wrong: KAFKA_SECURITY_PROTOCOL asks for it',
      { ...both, KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_MECHANISM: 'OAUTHBEARER' },
    ],
    [
      'KAFKA_SSL_CA_FILE is wrong: the file cannot be read: ENOENT',
      { ...both, KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CA_FILE: '/no/such' },
    ],
    [
      'KAFKA_SSL_CERT_FILE is wrong: certificate and key go together',
      { ...both, KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CERT_FILE: '/x' },
    ],
  ])('%s', (said, env) => {
    expect(() => tierOf(env)).toThrow(new ConfigError(`setting ${said}`));
  });
});

test('no secret of them is listed', () => {
  const secrets = ['KAFKA_SSL_KEY_PASSWORD', 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_OAUTH_CLIENT_SECRET', 'SCHEMA_REGISTRY_PASSWORD'];
  const values = loadConfig(kafkaSchema, Object.fromEntries(secrets.map((name) => [name, 'sesame'])));
  expect(JSON.stringify(listSettings(kafkaSchema, values))).not.toContain('sesame');
});
