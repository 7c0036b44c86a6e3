import type { Schema } from 'convict';
import { type AccessSettings, accessSchema } from './access/settings.ts';
import { type KafkaSettings, kafkaSchema } from './kafka-settings.ts';
import { type TracingSettings, tracingSchema } from './tracing-settings.ts';

export interface BaseSettings extends KafkaSettings, AccessSettings, TracingSettings {
  databaseUrl: string;
  logLevel: string;
  host: string;
  maxConnections: number;
  requestTimeoutMs: number;
  retentionMs: number;
  redisUrl: string;
}

/** Each costs some ten kilobytes and a file descriptor. Node.js raises its limit to the hard one, which is 4,096 or more. */
export const defaultMaxConnections = 2_000;

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
  maxConnections: {
    doc: 'Connections that one server takes at once; further ones are closed at once',
    format: 'positive-int',
    default: defaultMaxConnections,
    env: 'WEIR_HTTP_MAX_CONNECTIONS',
  },
  requestTimeoutMs: {
    doc: 'How long a request may take to arrive, its headers 10 s at most; 408 then',
    format: 'positive-int',
    default: 30_000,
    env: 'WEIR_HTTP_REQUEST_TIMEOUT_MS',
  },
  retentionMs: {
    doc: 'How long events that everybody has read are kept in the log (the audit log keeps theirs for WEIR_RETENTION_DECISIONS_DAYS)',
    format: 'positive-int',
    default: 604_800_000,
    env: 'WEIR_LOG_RETENTION_MS',
  },
  ...kafkaSchema,
  redisUrl: {
    doc: 'Redis for the rate budget and the queue of scores, redis://… or rediss://…, of this installation alone; empty: PostgreSQL',
    format: 'redis-url',
    default: '',
    env: 'REDIS_URL',
    sensitive: true,
  },
  ...tracingSchema,
  ...accessSchema,
};

/** The port of a service that runs by itself. */
export function portSchema(defaultPort: number): Schema<{ port: number }> {
  return { port: { doc: 'Port to listen on', format: 'port', default: defaultPort, env: 'WEIR_PORT' } };
}
