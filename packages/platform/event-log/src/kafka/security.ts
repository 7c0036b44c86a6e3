import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '@weir/clock';
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { oauthTokens } from './oauth.ts';

/** How to connect and authenticate. Holds file contents, not paths. */
export interface KafkaConnection {
  /** Bootstrap servers, `host:port` each. */
  readonly brokers: readonly string[];
  readonly tls?: KafkaTls;
  readonly sasl?: KafkaSasl;
}

export interface KafkaTls {
  /** PEM; absent: the authorities of Node.js. */
  readonly ca?: string;
  /** PEM of a client certificate and its key (mTLS). */
  readonly cert?: string;
  readonly key?: string;
  readonly keyPassword?: string;
}

export type KafkaSasl =
  | { readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'; readonly username: string; readonly password: string }
  | ({ readonly mechanism: 'OAUTHBEARER' } & OAuthClient);

/** OAuth 2.0 client credentials (RFC 6749 section 4.4). */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
}

export function securityConfig(connection: KafkaConnection, clock: Clock): Pick<KafkaConfig, 'brokers' | 'ssl' | 'sasl'> {
  return {
    brokers: [...connection.brokers],
    ...(connection.tls === undefined ? {} : { ssl: tlsOptions(connection.tls) }),
    ...(connection.sasl === undefined ? {} : { sasl: saslOptions(connection.sasl, clock) }),
  };
}

function tlsOptions({ ca, cert, key, keyPassword }: KafkaTls): ConnectionOptions {
  return {
    // kafkajs treats an empty object as "no TLS".
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: [ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(keyPassword === undefined ? {} : { passphrase: keyPassword }),
  };
}

function saslOptions(sasl: KafkaSasl, clock: Clock): SASLOptions {
  switch (sasl.mechanism) {
    case 'PLAIN':
      return { mechanism: 'plain', username: sasl.username, password: sasl.password };
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', username: sasl.username, password: sasl.password };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', username: sasl.username, password: sasl.password };
    case 'OAUTHBEARER':
      return { mechanism: 'oauthbearer', oauthBearerProvider: oauthTokens(sasl, clock) };
  }
}
