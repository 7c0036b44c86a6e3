import { hostname } from 'node:os';
import type { Clock } from '@weir/clock';
import type { ISocketFactory } from 'kafkajs';
import { Dispatcher } from '../dispatcher/index.ts';
import { EventLogError } from '../errors.ts';
import type { EventLog, LogGap, LogRecord, OutgoingRecord, PartitionLag, SubscribeOptions, Subscription, TopicSpec } from '../port.ts';
import { Browser } from './browse.ts';
import { type KafkaClient, openClient } from './client.ts';
import { Directory } from './directory.ts';
import { Member } from './member.ts';
import type { KafkaConnection } from './security.ts';
import { Sender } from './sender.ts';
import { settings } from './settings.ts';
import { createTopics } from './topics.ts';

export interface KafkaLogOptions {
  readonly connection: KafkaConnection;
  readonly clock: Clock;
  /** Receives errors of background work, which continues by itself. */
  readonly onError?: (error: unknown) => void;
  readonly openSocket?: ISocketFactory;
  /** Milliseconds without progress despite unread records before a member replaces its consumer. */
  readonly stallMs?: number;
}

let opened = 0;

/** Opens a log on Kafka. Connects at first use. */
export function openKafkaLog(options: KafkaLogOptions): EventLog {
  return new KafkaLog(options);
}

class KafkaLog implements EventLog {
  readonly #options: KafkaLogOptions;
  readonly #directory: Directory;
  readonly #browser: Browser;
  readonly #sender: Sender;
  readonly #members = new Set<Member>();
  readonly #open: () => KafkaClient;
  #closing: Promise<void> | undefined;

  constructor(options: KafkaLogOptions) {
    const { connection, clock, openSocket } = options;
    this.#options = options;
    // Members share partitions in the order of their ids. So in all groups a log gets the same ones, and its user may carry events on.
    const clientId = `weir-${hostname()}-${process.pid}-${(opened += 1)}`;
    this.#open = () => openClient({ connection, clock, clientId, ...(openSocket === undefined ? {} : { openSocket }) });
    this.#directory = new Directory(this.#open, clock);
    this.#browser = new Browser(this.#open, this.#directory, clock);
    this.#sender = new Sender({ open: this.#open, directory: this.#directory, clock });
  }

  async createTopics(topics: readonly TopicSpec[]): Promise<void> {
    await createTopics(this.#directory, this.#options.clock, topics);
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    await this.#sender.publish(records);
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    this.#checkOpen();
    for (const topic of options.topics) await this.#directory.countPartitions(topic);
    const member = this.#member(options);
    this.#members.add(member);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= member.stop().finally(() => this.#members.delete(member)));
    try {
      await member.start();
      this.#checkOpen();
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      get assigned() {
        return member.assigned;
      },
      isAssigned: (topic, key) => member.isAssigned(topic, key),
      stop,
    };
  }

  async read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
    return this.#browser.read(topic, partition, from, limit);
  }

  async partitions(topic: string): Promise<number> {
    return this.#directory.countPartitions(topic);
  }

  async ends(topic: string): Promise<readonly bigint[]> {
    return this.#directory.ends(topic);
  }

  async lag(group: string): Promise<readonly PartitionLag[]> {
    return this.#directory.lag(group);
  }

  async resume(gaps: readonly LogGap[]): Promise<void> {
    await this.#directory.resume(gaps);
  }

  async forget(group: string): Promise<void> {
    await this.#directory.forget(group);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    // Members first: their work may still publish, such as dead letters.
    await Promise.all([...this.#members].map((member) => member.stop()));
    await this.#sender.close();
    this.#browser.close();
    this.#directory.close();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new EventLogError('LOG_CLOSED', 'the log is closed');
  }

  #member(options: SubscribeOptions): Member {
    const { clock, stallMs } = this.#options;
    const dispatcher = new Dispatcher({
      ...options,
      clock,
      publish: (records) => this.#sender.publish(records),
      progressed: () => member.progressed(),
    });
    const member: Member = new Member({
      open: this.#open,
      directory: this.#directory,
      clock,
      dispatcher,
      group: options.group,
      topics: options.topics,
      begin: options.begin ?? 'start',
      maxInFlight: options.maxInFlight,
      lingerMs: options.gather?.ms ?? options.lingerMs ?? 0,
      stallMs: stallMs ?? settings.stallMs,
      onError: (error) => this.#options.onError?.(error),
    });
    return member;
  }
}
