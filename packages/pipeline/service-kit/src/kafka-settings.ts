import type { KafkaSasl } from '@weir/event-log/kafka';
import type { Schema } from 'convict';

/** Settings of Kafka and the schema registry. All empty: the log is PostgreSQL. */
export interface KafkaSettings {
  kafkaBrokers: string;
  kafkaSecurity: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  kafkaSslCaFile: string;
  kafkaSslCertFile: string;
  kafkaSslKeyFile: string;
  kafkaSslKeyPassword: string;
  kafkaSaslMechanism: KafkaSasl['mechanism'];
  kafkaSaslUsername: string;
  kafkaSaslPassword: string;
  kafkaOauthTokenUrl: string;
  kafkaOauthClientId: string;
  kafkaOauthClientSecret: string;
  kafkaOauthScope: string;
  schemaRegistryUrl: string;
  schemaRegistryUsername: string;
  schemaRegistryPassword: string;
}

const text = (env: string, doc: string): { doc: string; format: StringConstructor; default: string; env: string } => ({
  doc,
  format: String,
  default: '',
  env,
});
const secret = (env: string, doc: string): ReturnType<typeof text> & { sensitive: boolean } => ({ ...text(env, doc), sensitive: true });

export const kafkaSchema: Schema<KafkaSettings> = {
  kafkaBrokers: {
    ...text('KAFKA_BROKERS', 'Kafka to keep the events in, host:port,host:port …; empty: PostgreSQL'),
    format: requireBrokers,
  },
  kafkaSecurity: {
    doc: 'How to talk to Kafka: with TLS (…SSL) or not, with a name (SASL_…) or not',
    format: ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'],
    default: 'PLAINTEXT',
    env: 'KAFKA_SECURITY_PROTOCOL',
  },
  kafkaSslCaFile: text('KAFKA_SSL_CA_FILE', "Authorities to trust with Kafka's certificate (PEM); empty: those of Node.js"),
  kafkaSslCertFile: text('KAFKA_SSL_CERT_FILE', 'Certificate to show to Kafka (PEM)'),
  kafkaSslKeyFile: text('KAFKA_SSL_KEY_FILE', 'Its private key (PEM)'),
  kafkaSslKeyPassword: secret('KAFKA_SSL_KEY_PASSWORD', 'Password of that key'),
  kafkaSaslMechanism: {
    doc: 'How to prove to Kafka who asks',
    format: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'],
    default: 'SCRAM-SHA-512',
    env: 'KAFKA_SASL_MECHANISM',
  },
  kafkaSaslUsername: text('KAFKA_SASL_USERNAME', 'User of Kafka, for PLAIN and SCRAM'),
  kafkaSaslPassword: secret('KAFKA_SASL_PASSWORD', 'Password of that user'),
  kafkaOauthTokenUrl: {
    doc: 'Where to get tokens for OAUTHBEARER (client credentials)',
    format: 'http-url',
    default: '',
    env: 'KAFKA_SASL_OAUTH_TOKEN_URL',
  },
  kafkaOauthClientId: text('KAFKA_SASL_OAUTH_CLIENT_ID', 'Client to get tokens for'),
  kafkaOauthClientSecret: secret('KAFKA_SASL_OAUTH_CLIENT_SECRET', 'Secret of that client'),
  kafkaOauthScope: text('KAFKA_SASL_OAUTH_SCOPE', 'Scope to ask tokens with'),
  schemaRegistryUrl: {
    doc: 'Schema registry that gives schemas their numbers, with Kafka',
    format: 'http-url',
    default: '',
    env: 'SCHEMA_REGISTRY_URL',
    sensitive: true,
  },
  schemaRegistryUsername: text('SCHEMA_REGISTRY_USERNAME', 'User of the schema registry'),
  schemaRegistryPassword: secret('SCHEMA_REGISTRY_PASSWORD', 'Password of that user'),
};

/** `host:port`, comma-separated. IPv6 addresses in brackets. */
function requireBrokers(value: unknown): void {
  if (value === '') return;
  const isBroker = (part: string): boolean => {
    const [, port] = /^(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/.exec(part) ?? [];
    return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
  };
  if (typeof value !== 'string' || !brokersOf(value).every(isBroker)) throw new Error('must be host:port, several with commas');
}

export function brokersOf(value: string): string[] {
  return value.split(',').map((part) => part.trim());
}
