import { randomBytes } from 'node:crypto';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { composeService } from './compose-file.ts';
import { freePort } from './ports.ts';
import type { Part, Started } from './parts.ts';

/** The registry uses the in-memory variant instead of PostgreSQL's. */
export function imageOf(part: Part): string {
  const { image } = composeService(part);
  return part === 'registry' ? image.replace('-sql:', '-mem:') : image;
}

const startLimitMs = 240_000;
const postgresPort = 5432;
const redisPort = 6379;
const registryPort = 8080;
const passwordFile = '/tmp/password';

/** Publishes on loopback alone; testcontainers publishes on every address by default. */
class LoopbackContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    for (const bindings of Object.values(this.hostConfig.PortBindings ?? {}) as { HostIp?: string }[][])
      for (const binding of bindings) binding.HostIp = '127.0.0.1';
  }
}

/** The image must be present. */
export async function startContainer(part: Part): Promise<Started> {
  const container = new LoopbackContainer(imageOf(part)).withPullPolicy({ shouldPull: () => false }).withStartupTimeout(startLimitMs);
  switch (part) {
    case 'kafka':
      return startKafka(container);
    case 'registry':
      return startRegistry(container);
    case 'redis':
      return startRedis(container);
    case 'postgres':
      return startPostgres(container);
  }
}

async function startKafka(container: GenericContainer): Promise<Started> {
  // A broker advertises its address to clients, so the port must be known before it starts.
  const port = await freePort();
  const environment = Object.entries(composeService('kafka').environment ?? {}).map(([name, value]) => [name, String(value)] as const);
  const started = await container
    .withEnvironment({
      ...Object.fromEntries(environment),
      KAFKA_LISTENERS: `CLIENTS://:${port},CONTROLLER://localhost:9093`,
      KAFKA_ADVERTISED_LISTENERS: `CLIENTS://127.0.0.1:${port}`,
      // No users: the port is on loopback.
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'CLIENTS',
      KAFKA_SUPER_USERS: 'User:ANONYMOUS',
    })
    .withExposedPorts({ container: port, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return startedAt(started, `127.0.0.1:${port}`);
}

async function startRegistry(container: GenericContainer): Promise<Started> {
  const path = '/apis/ccompat/v7';
  const started = await container
    .withExposedPorts(registryPort)
    .withWaitStrategy(Wait.forLogMessage(/Installed features/))
    .start();
  return startedAt(started, `http://127.0.0.1:${started.getMappedPort(registryPort)}${path}`);
}

async function startRedis(container: GenericContainer): Promise<Started> {
  const started = await container
    // No password: the port is on loopback. Protected mode would refuse clients outside the container.
    .withCommand(['redis-server', '--protected-mode', 'no', '--save', '', '--appendonly', 'yes'])
    .withExposedPorts(redisPort)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  return startedAt(started, `redis://127.0.0.1:${started.getMappedPort(redisPort)}`);
}

async function startPostgres(container: GenericContainer): Promise<Started> {
  const password = randomBytes(16).toString('hex');
  const started = await container
    .withCopyContentToContainer([{ content: password, target: passwordFile, mode: 0o444 }])
    .withUser('postgres')
    .withEnvironment({ POSTGRES_PASSWORD_FILE: passwordFile })
    .withCommand(['postgres', '-c', 'max_connections=200'])
    .withExposedPorts(postgresPort)
    // The image first starts a temporary server on a socket, so the line appears twice.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return startedAt(started, `postgres://postgres:${password}@127.0.0.1:${started.getMappedPort(postgresPort)}/postgres`);
}

function startedAt(container: StartedTestContainer, address: string): Started {
  return { address, stop: async () => void (await container.stop()) };
}
