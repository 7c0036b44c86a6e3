/** Addresses of the servers. Test workers inherit the variables; a user may set them beforehand. */
export const variables = {
  kafka: 'WEIR_TEST_KAFKA_BROKERS',
  registry: 'WEIR_TEST_SCHEMA_REGISTRY_URL',
  /** Tests empty it. */
  redis: 'WEIR_TEST_REDIS_URL',
  /** For a user who may create databases. */
  postgres: 'WEIR_TEST_POSTGRES_URL',
} as const;

export type Part = keyof typeof variables;

export interface Started {
  readonly address: string;
  stop(): Promise<void>;
}
