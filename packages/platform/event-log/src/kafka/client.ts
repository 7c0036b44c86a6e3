import { isIP, connect as connectTcp, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@weir/clock';
import kafkajs, { type Cluster, type ISocketFactory, type ISocketFactoryArgs, type Kafka } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import { quickRecords } from './quick-records.ts';
import { quietTimers } from './quiet-timers.ts';
import { type KafkaConnection, securityConfig } from './security.ts';
import { settings } from './settings.ts';

/** A kafkajs client whose connections can be cut for good. */
export interface KafkaClient {
  readonly kafka: Kafka;
  /** The connected cluster, for requests that kafkajs offers nowhere else. */
  cluster(): Promise<Cluster>;
  /** After `disconnect` kafkajs would reconnect and write records that were given up long ago. */
  cut(): void;
}

export interface ClientOptions {
  readonly connection: KafkaConnection;
  readonly clock: Clock;
  /** The brokers name it in their metrics, and member ids begin with it. */
  readonly clientId?: string;
  readonly openSocket?: ISocketFactory;
}

const keepAliveMs = 60_000;

/** One client per purpose: each producer and each group member has its own. */
export function openClient({ connection, clock, clientId = 'weir', openSocket = defaultSocket }: ClientOptions): KafkaClient {
  quietTimers();
  quickRecords();
  const sockets = new Set<Socket>();
  let isCut = false;
  const socketFactory: ISocketFactory = (args) => {
    const socket = isCut ? refused() : openSocket(args);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const kafka = new kafkajs.Kafka({
    clientId,
    ...securityConfig(connection, clock),
    connectionTimeout: settings.connectTimeoutMs,
    authenticationTimeout: settings.requestTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    retry: settings.retry,
    socketFactory,
    // Errors and events suffice; kafkajs's log lines would show addresses and records.
    logLevel: kafkajs.logLevel.NOTHING,
  });
  let cluster: Promise<Cluster> | undefined;
  return {
    kafka,
    cluster: () => (cluster ??= connectCluster(kafka)),
    cut: () => {
      isCut = true;
      // kafkajs reacts to an error, not to a plain close.
      for (const socket of sockets) socket.destroy(givenUp());
    },
  };
}

/** kafkajs exposes its cluster only to assigners. */
async function connectCluster(kafka: Kafka): Promise<Cluster> {
  let found: Cluster | undefined;
  const finder: kafkajs.PartitionAssigner = (config) => {
    found = config.cluster;
    return kafkajs.PartitionAssigners.roundRobin(config);
  };
  kafka.consumer({ groupId: 'weir', partitionAssigners: [finder], allowAutoTopicCreation: false });
  if (found === undefined) throw new EventLogError('LOG_FAILED', 'kafkajs gave no cluster to its assigner');
  await found.connect();
  return found;
}

function defaultSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  const server = isIP(host) === 0 ? { servername: host } : {};
  const socket = ssl ? connectTls({ host, port, ...server, ...ssl }, onConnect) : connectTcp({ host, port }, onConnect);
  socket.setKeepAlive(true, keepAliveMs);
  return socket;
}

function refused(): Socket {
  const socket = new Socket();
  // After the caller attached its listeners.
  queueMicrotask(() => socket.destroy(givenUp()));
  return socket;
}

function givenUp(): Error {
  return Object.assign(new Error('this client was given up'), { code: 'ECONNABORTED' });
}
