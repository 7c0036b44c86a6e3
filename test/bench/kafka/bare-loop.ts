import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EventLog, OutgoingRecord } from '@weir/event-log';
import type { Pool } from '@weir/postgres';
import type { Measured } from '../decisions.ts';

/** Bytes of a value in each topic from deposits.detected to screenings.decided, as measured on our own records. */
export interface HopSizes {
  readonly bytes: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface BareLoop {
  measure(count: number, run: string): Promise<Measured>;
  stop(): Promise<void>;
}

const partitions = 4;
const limitMs = 300_000;

export interface LoopKind {
  readonly name: 'batch' | 'single' | 'batch and insert';
  /** 0: record by record. */
  readonly batchSize: number;
  /** Where each hop stores a row of each record; absent: nowhere. */
  readonly pool?: Pool;
  readonly databaseUrl?: string;
}

/** Each hop has its own process, like a service. */
export async function startBareLoop(log: EventLog, broker: string, sizes: HopSizes, kind: LoopKind): Promise<BareLoop> {
  const { batchSize, pool, databaseUrl } = kind;
  const name = `bench.${kind.name.replaceAll(' ', '-')}`;
  const topics = sizes.bytes.map((_, n) => `${name}.${n}`);
  await log.createTopics(topics.map((topic) => ({ name: topic, partitions })));
  const hops = await Promise.all(
    topics.slice(1).map(async (to, n) => {
      const table = `bench_hop_${n}`;
      await pool?.query(`CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, value bytea NOT NULL)`);
      const store = databaseUrl === undefined ? [] : [databaseUrl, table];
      return startHop([broker, `${name}.${n}`, topics[n] ?? '', to, String(sizes.bytes[n + 1]), String(batchSize), ...store]);
    }),
  );
  let left = 0;
  let done = (): void => undefined;
  const reader = await log.subscribe({
    group: `${name}.reader`,
    topics: [topics.at(-1) ?? ''],
    maxInFlight: 2_000,
    maxBatch: 500,
    handle: async (records) => {
      left -= records.length;
      if (left <= 0) done();
    },
  });
  return {
    measure: async (count, run) => {
      left = count;
      const finished = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${left} of ${count} records did not come through the bare loop`)), limitMs);
        done = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      const value = Buffer.alloc(sizes.bytes[0] ?? 0, 7);
      const records: OutgoingRecord[] = Array.from({ length: count }, (_, n) => ({
        topic: topics[0] ?? '',
        key: `${run}-${n}`,
        value,
        headers: sizes.headers,
      }));
      const began = performance.now();
      for (let at = 0; at < count; at += 250) await log.publish(records.slice(at, at + 250));
      await finished;
      const seconds = (performance.now() - began) / 1_000;
      return { name: `bare loop, ${kind.name}`, count, seconds, perSecond: count / seconds };
    },
    stop: async () => {
      await reader.stop();
      await Promise.all(hops.map(endHop));
    },
  };
}

async function startHop(args: readonly string[]): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'hop-process.ts'), [...args]);
  await once(child, 'message');
  return child;
}

async function endHop(child: ChildProcess): Promise<void> {
  child.disconnect();
  if (child.exitCode === null) await once(child, 'exit');
}
