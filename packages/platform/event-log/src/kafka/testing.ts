import { Socket, connect } from 'node:net';
import { systemClock } from '@weir/clock';
import type { ISocketFactory } from 'kafkajs';
import { vi } from 'vitest';
import type { LogHarness } from '../behaviour.ts';
import { until } from '../behaviour/harness.ts';
import { EventLogError } from '../errors.ts';
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

/** Asks again while no answer comes, as a broker on a busy machine may take longer than the adapter's limits. Records are published once. */
function patient(log: EventLog): EventLog {
  const again = <T>(question: () => Promise<T>): Promise<T> =>
    vi
      .waitFor(() =>
        question().then(
          (answer) => () => answer,
          (error: unknown) => {
            if (error instanceof EventLogError && error.code === 'LOG_UNAVAILABLE') throw error;
            return () => {
              throw error;
            };
          },
        ),
      )
      .then((outcome) => outcome());
  return {
    publish: (records) => log.publish(records),
    close: () => log.close(),
    createTopics: (topics) => again(() => log.createTopics(topics)),
    subscribe: (options) => again(() => log.subscribe(options)),
    read: (...place) => again(() => log.read(...place)),
    partitions: (topic) => again(() => log.partitions(topic)),
    ends: (topic) => again(() => log.ends(topic)),
    lag: (group) => again(() => log.lag(group)),
    resume: (gaps) => again(() => log.resume(gaps)),
    forget: (group) => again(() => log.forget(group)),
  };
}

export async function kafkaHarness(): Promise<LogHarness> {
  const clients = new Map<EventLog, Client>();
  return {
    open: async () => {
      const client = openTestLog(testBrokers());
      const log = patient(client.log);
      clients.set(log, client);
      return log;
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
