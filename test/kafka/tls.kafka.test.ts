import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { systemClock } from '@weir/clock';
import { topicSpecs } from '@weir/contracts';
import { openKafkaLog } from '@weir/event-log/kafka';
import { openPool } from '@weir/postgres';
import { RiskClient } from '@weir/risk-client';
import { baseSchema, kafkaTier, loadConfig, registrySchemaIds } from '@weir/service-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { makeCertificate, openTlsGateway, type TestCertificate, type TlsGateway } from '../support/stack/certificate.ts';
import { startKafka, type TestKafka, unkilled } from '../support/stack/kafka.ts';
import { variables } from '../support/stack/parts.ts';

const registry = new URL(process.env[variables.registry] ?? '');
const postgres = new URL(process.env[variables.postgres] ?? '');
const authorities = getCACertificates('default');

let certificate: TestCertificate;
let kafka: TestKafka;
const gateways: TlsGateway[] = [];
beforeAll(async () => {
  certificate = await makeCertificate();
  kafka = await startKafka({ certificate, properties: unkilled });
});
afterEach(() => setDefaultCACertificates(authorities));
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await kafka.stop();
  certificate.remove();
});

/** A TLS port in front of a plain server. */
async function secured({ hostname, port }: URL, protocol?: 'postgres'): Promise<number> {
  const gateway = await openTlsGateway({ host: hostname, port: Number(port) }, certificate, protocol);
  gateways.push(gateway);
  return gateway.port;
}

/** Has the effect of NODE_EXTRA_CA_CERTS. */
const trust = (): void => setDefaultCACertificates([...authorities, certificate.pem]);

test('Kafka over TLS', async () => {
  const env = {
    KAFKA_BROKERS: kafka.tlsBrokers,
    KAFKA_SECURITY_PROTOCOL: 'SSL',
    KAFKA_SSL_CA_FILE: certificate.pemFile,
    SCHEMA_REGISTRY_URL: registry.href,
  };
  expect(await weir(['topics', 'apply', '--replication-factor', '1'], { env })).toMatchObject({ code: 0 });
  const logOf = (settings: NodeJS.ProcessEnv): ReturnType<typeof openKafkaLog> => {
    const tier = kafkaTier(loadConfig(baseSchema, settings));
    if (tier === undefined) throw new Error('no tier');
    return openKafkaLog({ connection: tier.kafka, clock: systemClock });
  };
  const trusting = logOf(env);
  const [first] = topicSpecs;
  expect(await trusting.partitions(first?.name ?? '')).toBeGreaterThan(0);
  await trusting.close();
  // Node.js does not trust this certificate by default.
  const strict = logOf({ ...env, KAFKA_SSL_CA_FILE: '' });
  await expect(strict.partitions(first?.name ?? '')).rejects.toMatchObject({ name: 'EventLogError' });
  await strict.close();
});

test('PostgreSQL over TLS', async () => {
  const url = new URL(postgres);
  url.port = String(await secured(postgres, 'postgres'));
  url.searchParams.set('sslmode', 'verify-full');
  const ask = async (): Promise<unknown> => {
    const pool = openPool({ url: url.href });
    try {
      return (await pool.query('SELECT 1 AS one')).rows;
    } finally {
      await pool.end();
    }
  };
  await expect(ask()).rejects.toThrow();
  url.searchParams.set('sslrootcert', certificate.pemFile);
  expect(await ask()).toEqual([{ one: 1 }]);
  // The client refuses a server without TLS.
  url.port = postgres.port;
  await expect(ask()).rejects.toThrow();
});

test('the schema registry over TLS', async () => {
  const url = `https://127.0.0.1:${await secured(registry)}${registry.pathname}`;
  await expect(registrySchemaIds({ url }).find(1_000_000)).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  trust();
  expect(await registrySchemaIds({ url }).find(1_000_000)).toBeUndefined();
});

test('the risk API over TLS', async () => {
  // Any HTTP server will do: an answer proves the connection, even an invalid one.
  const baseUrl = `https://127.0.0.1:${await secured(registry)}`;
  const client = new RiskClient({ baseUrl, apiKey: 'key', keyIn: 'header', clock: systemClock });
  expect(await client.queryTask('a')).toMatchObject({ kind: 'unavailable', reason: 'NETWORK' });
  trust();
  expect(await client.queryTask('a')).not.toMatchObject({ reason: 'NETWORK' });
});
