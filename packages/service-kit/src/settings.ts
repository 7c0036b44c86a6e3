import type { Schema } from 'convict';

/** Settings of every service. */
export interface BaseSettings {
  databaseUrl: string;
  logLevel: string;
  host: string;
  retentionMs: number;
  kafkaBrokers: string;
  schemaRegistryUrl: string;
  redisUrl: string;
}

const absent = (value: unknown): void => {
  if (value !== '') throw new Error('this version runs on PostgreSQL alone; unset it');
};

export const baseSchema: Schema<BaseSettings> = {
  databaseUrl: {
    doc: 'PostgreSQL to use, postgres://…; empty: the embedded one',
    format: 'postgres-url',
    default: '',
    env: 'DATABASE_URL',
    sensitive: true,
  },
  logLevel: {
    doc: 'Least severe log line that is written',
    format: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    env: 'WEIR_LOG_LEVEL',
  },
  host: { doc: 'Address to listen on; loopback unless told otherwise', format: String, default: '127.0.0.1', env: 'WEIR_HOST' },
  retentionMs: {
    doc: 'How long events that everybody has read are kept in the log (the audit log keeps them for good)',
    format: 'positive-int',
    default: 604_800_000,
    env: 'WEIR_LOG_RETENTION_MS',
  },
  kafkaBrokers: { doc: 'Kafka as the event log', format: absent, default: '', env: 'KAFKA_BROKERS' },
  schemaRegistryUrl: { doc: 'Schema registry', format: absent, default: '', env: 'SCHEMA_REGISTRY_URL', sensitive: true },
  redisUrl: { doc: 'Redis for tasks and the rate budget', format: absent, default: '', env: 'REDIS_URL', sensitive: true },
};

/** The port a service listens on when it runs by itself. */
export function portSchema(defaultPort: number): Schema<{ port: number }> {
  return { port: { doc: 'Port to listen on', format: 'port', default: defaultPort, env: 'WEIR_PORT' } };
}
