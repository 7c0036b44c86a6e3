import { readFileSync } from 'node:fs';
import type { KafkaConnection, KafkaSasl, KafkaTls } from '@weir/event-log/kafka';
import { ConfigError } from './config.ts';
import { brokersOf, type KafkaSettings } from './kafka-settings.ts';
import type { RegistryConnection } from './registry-schema-ids.ts';

export interface KafkaTier {
  readonly kafka: KafkaConnection;
  readonly registry: RegistryConnection;
}

/** The configured tier, undefined for the embedded log. Throws `ConfigError` for contradictory settings. */
export function kafkaTier(settings: KafkaSettings): KafkaTier | undefined {
  if (settings.kafkaBrokers === '') {
    if (settings.schemaRegistryUrl !== '') throw wrong('SCHEMA_REGISTRY_URL', 'it goes with KAFKA_BROKERS, which is not set');
    return undefined;
  }
  if (settings.schemaRegistryUrl === '') throw wrong('SCHEMA_REGISTRY_URL', 'Kafka needs a schema registry, and it is not set');
  const tls = tlsOf(settings);
  const sasl = saslOf(settings);
  return {
    kafka: {
      brokers: brokersOf(settings.kafkaBrokers),
      ...(tls === undefined ? {} : { tls }),
      ...(sasl === undefined ? {} : { sasl }),
    },
    registry: registryOf(settings),
  };
}

function registryOf({ schemaRegistryUrl, schemaRegistryUsername, schemaRegistryPassword }: KafkaSettings): RegistryConnection {
  const url = new URL(schemaRegistryUrl);
  if (url.username !== '' || url.password !== '')
    throw wrong('SCHEMA_REGISTRY_URL', 'credentials go into SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD');
  const address = { url: schemaRegistryUrl.replace(/\/+$/, '') };
  if (schemaRegistryUsername === '') return address;
  return { ...address, username: schemaRegistryUsername, password: schemaRegistryPassword };
}

function tlsOf(settings: KafkaSettings): KafkaTls | undefined {
  if (!settings.kafkaSecurity.endsWith('SSL')) return undefined;
  if ((settings.kafkaSslCertFile === '') !== (settings.kafkaSslKeyFile === ''))
    throw wrong('KAFKA_SSL_CERT_FILE', 'certificate and key go together');
  return {
    ...fileOf('ca', 'KAFKA_SSL_CA_FILE', settings.kafkaSslCaFile),
    ...fileOf('cert', 'KAFKA_SSL_CERT_FILE', settings.kafkaSslCertFile),
    ...fileOf('key', 'KAFKA_SSL_KEY_FILE', settings.kafkaSslKeyFile),
    ...(settings.kafkaSslKeyPassword === '' ? {} : { keyPassword: settings.kafkaSslKeyPassword }),
  };
}

function fileOf<K extends string>(name: K, env: string, path: string): { [key in K]?: string } {
  if (path === '') return {};
  try {
    return { [name]: readFileSync(path, 'utf8') } as { [key in K]?: string };
  } catch (error) {
    throw wrong(env, `the file cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function saslOf(settings: KafkaSettings): KafkaSasl | undefined {
  if (!settings.kafkaSecurity.startsWith('SASL')) return undefined;
  if (settings.kafkaSaslMechanism !== 'OAUTHBEARER') {
    return {
      mechanism: settings.kafkaSaslMechanism,
      username: required('KAFKA_SASL_USERNAME', settings.kafkaSaslUsername),
      password: required('KAFKA_SASL_PASSWORD', settings.kafkaSaslPassword),
    };
  }
  return {
    mechanism: 'OAUTHBEARER',
    tokenUrl: required('KAFKA_SASL_OAUTH_TOKEN_URL', settings.kafkaOauthTokenUrl),
    clientId: required('KAFKA_SASL_OAUTH_CLIENT_ID', settings.kafkaOauthClientId),
    clientSecret: required('KAFKA_SASL_OAUTH_CLIENT_SECRET', settings.kafkaOauthClientSecret),
    ...(settings.kafkaOauthScope === '' ? {} : { scope: settings.kafkaOauthScope }),
  };
}

function required(env: string, value: string): string {
  if (value === '') throw wrong(env, 'KAFKA_SECURITY_PROTOCOL asks for it');
  return value;
}

function wrong(env: string, why: string): ConfigError {
  return new ConfigError(`setting ${env} is wrong: ${why}`);
}
