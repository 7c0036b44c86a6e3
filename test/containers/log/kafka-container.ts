import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { freePort } from '../../stack/ports.ts';

/** A broker in a container of its own. */
export interface KafkaContainer {
  /** As in KAFKA_BROKERS. */
  readonly brokers: string;
  stop(): Promise<void>;
}

export interface KafkaImage {
  readonly image: string;
  /** As docker-compose.yml configures it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the Kafka of docker-compose.yml through testcontainers, reachable from this machine alone. */
export async function startKafkaContainer({ image, environment }: KafkaImage): Promise<KafkaContainer> {
  // A broker tells its clients where it is, so the port must be known before it starts.
  const port = await freePort();
  const container: StartedTestContainer = await new GenericContainer(image)
    .withEnvironment({
      ...environment,
      KAFKA_LISTENERS: `PLAINTEXT://:${port},CONTROLLER://localhost:9093`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
    })
    .withExposedPorts({ container: port, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(120_000)
    .start();
  return { brokers: `127.0.0.1:${port}`, stop: async () => void (await container.stop()) };
}
