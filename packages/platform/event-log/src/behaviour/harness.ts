import { randomInt, randomUUID } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { onTestFinished } from 'vitest';
import type { EventLog, LogRecord, OutgoingRecord } from '../port.ts';

export interface LogHarness {
  /** Another client, as of another process. */
  open(): Promise<EventLog>;
  /** Simulates a killed process: no more commits, no leaving of groups. */
  abandon(log: EventLog): Promise<void>;
  expire(topic: string): Promise<void>;
  /** Removes the offsets of a group without members, as a broker does after `offsets.retention`. */
  forget(group: string): Promise<void>;
  errors(log: EventLog): readonly unknown[];
  close(): Promise<void>;
}

export class Bench {
  readonly #harness: LogHarness;

  constructor(harness: LogHarness) {
    this.#harness = harness;
  }

  async open(): Promise<EventLog> {
    const log = await this.#harness.open();
    onTestFinished(() => log.close());
    return log;
  }

  abandon(log: EventLog): Promise<void> {
    return this.#harness.abandon(log);
  }

  expire(topic: string): Promise<void> {
    return this.#harness.expire(topic);
  }

  forget(group: string): Promise<void> {
    return this.#harness.forget(group);
  }

  errors(log: EventLog): readonly unknown[] {
    return this.#harness.errors(log);
  }

  async topic(log: EventLog, partitions: number, name = `topic-${randomUUID()}`): Promise<string> {
    await log.createTopics([{ name, partitions }]);
    return name;
  }

  group(): string {
    return `group-${randomUUID()}`;
  }
}

export function record(topic: string, key: string, value: string | Buffer = '', headers: Record<string, string> = {}): OutgoingRecord {
  return { topic, key, value: Buffer.isBuffer(value) ? value : Buffer.from(value), headers };
}

/** `count` records with the values 0, 1, 2 … and alternating keys. */
export function numbered(topic: string, count: number, keys: number): OutgoingRecord[] {
  return Array.from({ length: count }, (_, i) => record(topic, `key-${i % keys}`, String(i)));
}

export function text(of: { readonly value: Buffer }): string {
  return of.value.toString();
}

export async function until(what: string, condition: () => boolean | Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const end = systemClock.monotonic() + timeoutMs;
  while (!(await condition())) {
    if (systemClock.monotonic() > end) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await systemClock.sleep(5);
  }
}

export async function readAll(log: EventLog, topic: string, page = 100): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (let partition = 0; partition < (await log.partitions(topic)); partition++) {
    let from = 0n;
    for (;;) {
      const records = await log.read(topic, partition, from, page);
      all.push(...records);
      const last = records.at(-1);
      if (last === undefined) break;
      from = last.offset + 1n;
    }
  }
  return all;
}

export async function totalLag(log: EventLog, group: string): Promise<bigint> {
  return (await log.lag(group)).reduce((sum, each) => sum + each.lag, 0n);
}

/** Numbers in [0, 1) from a printed seed; set WEIR_TEST_SEED to reproduce a failure. */
export function seededChance(): () => number {
  const seed = Number(process.env.WEIR_TEST_SEED ?? randomInt(2 ** 31));
  process.stdout.write(`WEIR_TEST_SEED=${seed}\n`);
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
