/** What tests can ask for, and the variable that says where it is: inherited by test workers, and the user's own word when it is set before. */
export const variables = {
  /** As in KAFKA_BROKERS. */
  kafka: 'WEIR_TEST_KAFKA_BROKERS',
  /** As in SCHEMA_REGISTRY_URL. */
  registry: 'WEIR_TEST_SCHEMA_REGISTRY_URL',
  /** As in REDIS_URL; tests empty it. */
  redis: 'WEIR_TEST_REDIS_URL',
  /** As in DATABASE_URL, of a user who may make databases. */
  postgres: 'WEIR_TEST_POSTGRES_URL',
} as const;

export type Part = keyof typeof variables;

/** One part, up and answering. */
export interface Started {
  readonly address: string;
  stop(): Promise<void>;
}
