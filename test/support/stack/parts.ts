/** The servers that tests use, each with the variable for its address. Test workers inherit it; a user may set it beforehand. */
export const variables = {
  /** As in KAFKA_BROKERS. */
  kafka: 'WEIR_TEST_KAFKA_BROKERS',
  /** As in SCHEMA_REGISTRY_URL. */
  registry: 'WEIR_TEST_SCHEMA_REGISTRY_URL',
  /** As in REDIS_URL; tests empty it. */
  redis: 'WEIR_TEST_REDIS_URL',
  /** As in DATABASE_URL, for a user who may create databases. */
  postgres: 'WEIR_TEST_POSTGRES_URL',
} as const;

export type Part = keyof typeof variables;

/** One part that is ready. */
export interface Started {
  readonly address: string;
  stop(): Promise<void>;
}
