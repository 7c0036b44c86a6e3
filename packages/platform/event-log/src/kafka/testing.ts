import { Socket, connect } from 'node:net';
import { systemClock } from '@weir/clock';
import type { ISocketFactory } from 'kafkajs';
import type { LogHarness } from '../behaviour.ts';
import { until } from '../behaviour/harness.ts';
import type { EventLog } from '../port.ts';
import { openClient } from './client.ts';
import { openKafkaLog } from './log.ts';

export function testBrokers(): string[] {
  const brokers = process.env['WEIR_TEST_KAFKA_BROKERS'];
  if (brokers === undefined) throw new Error('no test broker: run the tests with vitest from the top folder');
  return brokers.split(',');
}

/** Sockets that can be cut together, as by a killed process. */
function severable(): { openSocket: ISocketFactory; sever: () => void } {
  const sockets = new Set<Socket>();
  let isSevered = false;
  return {
    openSocket: ({ host, port, onConnect }) => {
      const socket = isSevered ? new Socket() : connect({ host, port }, onConnect);
      sockets.add(socket);
      if (isSevered) queueMicrotask(() => cut(socket));
      return socket;
    },
    sever: () => {
      isSevered = true;
      for (const socket of sockets) cut(socket);
    },
  };
}

function cut(socket: Socket): void {
  socket.destroy(Object.assign(new Error('severed'), { code: 'ECONNRESET' }));
}

export interface Client {
  readonly log: EventLog;
  readonly errors: unknown[];
  readonly sever: () => void;
}

export function openTestLog(brokers: readonly string[], options: { stallMs?: number } = {}): Client {
  const errors: unknown[] = [];
  const { openSocket, sever } = severable();
  const log = openKafkaLog({ connection: { brokers }, clock: systemClock, onError: (error) => errors.push(error), openSocket, ...options });
  return { log, errors, sever };
}

export async function kafkaHarness(): Promise<LogHarness> {
  const clients = new Map<EventLog, Client>();
  return {
    open: async () => {
      const client = openTestLog(testBrokers());
      clients.set(client.log, client);
      return client.log;
    },
    abandon: async (log) => clients.get(log)?.sever(),
    expire: async (topic) => {
      const client = openClient({ connection: { brokers: testBrokers() }, clock: systemClock });
      const admin = client.kafka.admin();
      await admin.connect();
      const partitions = await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: partitions.map(({ partition, high }) => ({ partition, offset: high })) });
      client.cut();
    },
    forget: async (group) => {
      const client = openClient({ connection: { brokers: testBrokers() }, clock: systemClock });
      const admin = client.kafka.admin();
      await admin.connect();
      // The broker may still count a member that has just left.
      await until('the group is forgotten', () =>
        admin.deleteGroups([group]).then(
          () => true,
          () => false,
        ),
      );
      client.cut();
    },
    errors: (log) => clients.get(log)?.errors ?? [],
    close: async () => {
      await Promise.all([...clients.keys()].map((log) => log.close()));
    },
  };
}
