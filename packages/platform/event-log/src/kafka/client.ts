import { isIP, connect as connectTcp, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@weir/clock';
import kafkajs, { type Cluster, type ISocketFactory, type ISocketFactoryArgs, type Kafka } from 'kafkajs';
import { EventLogError } from '../errors.ts';
import { quietTimers } from './quiet-timers.ts';
import { type KafkaConnection, securityConfig } from './security.ts';
import { settings } from './settings.ts';

/** A kafkajs client whose connections can be ended for good. */
export interface KafkaClient {
  readonly kafka: Kafka;
  /** The cluster beneath, connected: for what kafkajs offers in no other way. */
  cluster(): Promise<Cluster>;
  /**
   * Cuts its connections and lets it make no new ones. kafkajs goes on trying what it was asked for after `disconnect`, connects
   * again for it, and would write records that were given up long ago.
   */
  cut(): void;
}

export interface ClientOptions {
  readonly connection: KafkaConnection;
  readonly clock: Clock;
  /** How sockets are made; the usual way when absent. */
  readonly openSocket?: ISocketFactory;
}

const keepAliveMs = 60_000;

/** One client for one purpose: each producer and each member of a group has its own. */
export function openClient({ connection, clock, openSocket = defaultSocket }: ClientOptions): KafkaClient {
  quietTimers();
  const sockets = new Set<Socket>();
  let isCut = false;
  const socketFactory: ISocketFactory = (args) => {
    const socket = isCut ? refused() : openSocket(args);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const kafka = new kafkajs.Kafka({
    clientId: 'weir',
    ...securityConfig(connection, clock),
    connectionTimeout: settings.connectTimeoutMs,
    authenticationTimeout: settings.requestTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    retry: settings.retry,
    socketFactory,
    // What matters comes back as an error or an event; its own lines would show addresses and records.
    logLevel: kafkajs.logLevel.NOTHING,
  });
  let cluster: Promise<Cluster> | undefined;
  return {
    kafka,
    cluster: () => (cluster ??= connectCluster(kafka)),
    cut: () => {
      isCut = true;
      // kafkajs hears of an error, not of a mere close.
      for (const socket of sockets) socket.destroy(givenUp());
    },
  };
}

/** kafkajs gives its cluster to assigners only. */
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
  // When the caller has attached its listeners.
  queueMicrotask(() => socket.destroy(givenUp()));
  return socket;
}

function givenUp(): Error {
  return Object.assign(new Error('this client was given up'), { code: 'ECONNABORTED' });
}
