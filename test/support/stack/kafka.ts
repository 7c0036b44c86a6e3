import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestCertificate } from './certificate.ts';
import { fetchParcel, type MavenParcel } from './maven.ts';
import { freePort, isListening } from './ports.ts';
import { supervise } from './supervisor.ts';

const run = promisify(execFile);

export interface TestKafka {
  readonly brokers: string;
  /** SASL/PLAIN with `saslUser`. */
  readonly saslBrokers: string;
  /** Empty without a certificate. */
  readonly tlsBrokers: string;
  /** Folder of its logs. Copied and replaced only while it is stopped. */
  readonly data: string;
  kill(): Promise<void>;
  /** On the same ports and data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const saslUser = { username: 'weir', password: 'sesame' };

const parcel: MavenParcel = {
  name: 'kafka',
  version: '4.3.1',
  jars: ['org.apache.kafka:kafka_2.13:4.3.1', 'org.slf4j:slf4j-simple:1.7.36'],
};

/** For a fast start: no broker here runs long enough for the optimising compiler. */
export const javaFlags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m'];

export interface KafkaOptions {
  /** SCRAM-SHA-512 users with their passwords. They enable an authorizer; the plain listener and `saslUser` are super users. */
  readonly users?: Readonly<Record<string, string>>;
  /** Adds a TLS listener. */
  readonly certificate?: TestCertificate;
  /** Of the broker, by Kafka's names. */
  readonly properties?: Readonly<Record<string, string | number>>;
}

/** Of a broker that no test kills. On a busy machine it is now and then later than the short session, and then leads no partition. */
export const unkilled = { 'broker.session.timeout.ms': 60_000 };

/** Takes about three seconds. Needs Java 17 and, the first time, Maven. */
export async function startKafka({ users = {}, certificate, properties = {} }: KafkaOptions = {}): Promise<TestKafka> {
  const jars = join(await fetchParcel(parcel), '*');
  const folder = mkdtempSync(join(tmpdir(), 'weir-kafka-'));
  try {
    const [port, saslPort, controllerPort, tlsPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const file = join(folder, 'server.properties');
    const isAuthorized = Object.keys(users).length > 0;
    const tls = certificate === undefined ? undefined : { port: tlsPort, certificate };
    writeFileSync(file, propertiesOf(folder, { port, saslPort, controllerPort }, isAuthorized, tls) + linesOf(properties));
    await (isAuthorized ? format(jars, file, users) : useFormatted(jars, file, join(folder, 'data')));
    // Each start logs one more line about readiness, so count these lines.
    const log = join(folder, 'output.log');
    appendFileSync(log, '');
    const server = supervise({
      name: 'Kafka',
      folder,
      program: 'java',
      args: [...javaFlags, '-cp', jars, 'kafka.Kafka', file],
      ready: async () => starts(log) > started && (await isListening(port)),
    });
    let started = 0;
    const start = async (): Promise<void> => {
      started = starts(log);
      await server.start();
    };
    await start();
    return {
      brokers: `127.0.0.1:${port}`,
      saslBrokers: `127.0.0.1:${saslPort}`,
      tlsBrokers: certificate === undefined ? '' : `127.0.0.1:${tlsPort}`,
      data: join(folder, 'data'),
      kill: () => server.kill(),
      restart: start,
      stop: () => server.remove(),
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function starts(log: string): number {
  return readFileSync(log, 'utf8').split('Kafka Server started').length - 1;
}

/** Without users every empty data folder is the same, and a copy of one saves starting Java for it. Nothing in it names a port. */
async function useFormatted(jars: string, file: string, data: string): Promise<void> {
  const formatted = join(tmpdir(), `weir-kafka-formatted-${parcel.version}`);
  if (existsSync(formatted)) return cpSync(formatted, data, { recursive: true });
  await format(jars, file, {});
  // Another one may have made it meanwhile.
  const aside = mkdtempSync(`${formatted}-`);
  cpSync(data, aside, { recursive: true });
  try {
    renameSync(aside, formatted);
  } catch {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function format(jars: string, file: string, users: Readonly<Record<string, string>>): Promise<void> {
  const args = ['-XX:TieredStopAtLevel=1', '-cp', jars, 'kafka.tools.StorageTool', 'format', '-c', file];
  try {
    const scram = Object.entries(users).flatMap(([name, password]) => ['-S', `SCRAM-SHA-512=[name=${name},password=${password}]`]);
    await run('java', [...args, '-t', randomBytes(16).toString('base64url').replace(/^-/, 'a'), ...scram]);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'java is not installed' : (error as Error).message;
    throw new Error(`Kafka could not be set up: ${why}`, { cause: error });
  }
}

/** The short broker session lets it return within five seconds of a kill. See `unkilled`. */
function propertiesOf(
  folder: string,
  ports: { port: number; saslPort: number; controllerPort: number },
  isAuthorized: boolean,
  tls: { port: number; certificate: TestCertificate } | undefined,
): string {
  const listenersOfClients = [
    `PLAINTEXT://127.0.0.1:${ports.port}`,
    `SASL_PLAINTEXT://127.0.0.1:${ports.saslPort}`,
    ...(tls === undefined ? [] : [`SSL://127.0.0.1:${tls.port}`]),
  ].join(',');
  const jaas = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${saslUser.username}="${saslUser.password}";`;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${ports.controllerPort}`,
    listeners: `${listenersOfClients},CONTROLLER://127.0.0.1:${ports.controllerPort}`,
    'advertised.listeners': listenersOfClients,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL',
    'inter.broker.listener.name': 'PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config': jaas,
    'listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config': 'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    ...(isAuthorized
      ? {
          'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
          'super.users': `User:ANONYMOUS;User:${saslUser.username}`,
        }
      : {}),
    ...(tls === undefined
      ? {}
      : {
          'ssl.keystore.location': tls.certificate.keyStore,
          'ssl.keystore.password': tls.certificate.password,
          'ssl.keystore.type': 'PKCS12',
        }),
    'log.dirs': join(folder, 'data'),
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
  };
  return linesOf(properties);
}

function linesOf(properties: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
