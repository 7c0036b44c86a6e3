import { randomUUID } from 'node:crypto';
import type { Clock } from '@weir/clock';
import type { Pool, Queryable, Session } from '@weir/postgres';
import { Dispatcher } from '../dispatcher/index.ts';
import { EventLogError } from '../errors.ts';
import type {
  EventLog,
  LogGap,
  LogRecord,
  OutgoingRecord,
  PartitionLag,
  RecordPlace,
  SubscribeOptions,
  Subscription,
  TopicSpec,
} from '../port.ts';
import { appendIn } from './append.ts';
import { Committer } from './committer.ts';
import { Coordinator } from './coordinator.ts';
import { Database } from './database.ts';
import { Member } from './member.ts';
import { Publisher } from './publisher.ts';
import { Reader } from './reader.ts';
import { settings } from './settings.ts';
import { browse, createTopics, findTopic, findTopics, forgetGroup, endsOf, lagOf, resumeAt } from './topics.ts';

export interface PostgresLogOptions {
  /**
   * May be shared with handlers: none of them waits for the log while it holds a connection, as `append` uses theirs. The log itself uses
   * at most four at a time. The owner closes it after the log.
   */
  readonly pool: Pool;
  /** Proves liveness and receives notifications. The owner closes it after the log. */
  readonly session: Session;
  readonly clock: Clock;
  /** Receives errors of background work, which continues by itself. */
  readonly onError?: (error: unknown) => void;
}

/** Opens the log in schema `log`. The database must have `eventLogMigrations`. */
export function openPostgresLog(options: PostgresLogOptions): EventLog {
  return new PostgresLog(options);
}

class PostgresLog implements EventLog {
  readonly #options: PostgresLogOptions;
  readonly #database: Database;
  readonly #publisher: Publisher;
  readonly #coordinator: Coordinator;
  readonly #reader: Reader;
  readonly #committer: Committer;
  readonly #listening: Promise<() => void>;
  /** Members share partitions in the order of their ids. So in all groups a process gets the same ones, and may carry an event on. */
  readonly #processId = randomUUID();
  #closing: Promise<void> | undefined;

  constructor(options: PostgresLogOptions) {
    const { clock, session } = options;
    const onError = (error: unknown): void => options.onError?.(error);
    const database = new Database(options.pool, clock);
    this.#options = options;
    this.#database = database;
    this.#publisher = new Publisher(database);
    this.#coordinator = new Coordinator({ database, session, clock, onError, gained: () => this.#reader.look() });
    const { members } = this.#coordinator;
    this.#reader = new Reader({ database, clock, members, onError });
    this.#committer = new Committer({ database, clock, members, onError });
    this.#listening = session
      .listen(settings.channel, (payload) => this.#onNotify(payload))
      .catch((error: unknown) => {
        // The session starts listening when it reconnects.
        onError(error);
        return () => undefined;
      });
  }

  async createTopics(topics: readonly TopicSpec[]): Promise<void> {
    await createTopics(this.#database, topics);
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    await this.#publisher.publish(records);
  }

  async append(tx: Queryable, records: readonly OutgoingRecord[], committed?: Promise<boolean>): Promise<readonly RecordPlace[]> {
    const appended = await appendIn(tx, records, committed === undefined ? null : this.#options.session.owner());
    if (committed !== undefined && appended.length > 0)
      for (const member of this.#coordinator.members) void member.handOver(appended, committed).then(() => this.#reader.look());
    return appended;
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    this.#checkOpen();
    await this.#listening;
    const dispatcher = this.#dispatcher(options);
    const topics = await findTopics(this.#database, options.topics);
    const id = `${this.#processId}-${randomUUID()}`;
    const owner = this.#options.session.owner();
    const ids = topics.map((topic) => topic.id);
    const groupId = await this.#coordinator.join(options.group, id, owner, ids);
    const member = new Member({
      id,
      group: options.group,
      groupId,
      begin: options.begin ?? 'start',
      topics: new Map(topics.map((topic) => [topic.id, topic.name])),
      partitions: new Map(topics.map((topic) => [topic.name, topic.partitions])),
      maxInFlight: options.maxInFlight,
      dispatcher,
    });
    this.#coordinator.add(member);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= this.#coordinator.remove(member));
    if (this.#closing !== undefined) {
      await stop();
      this.#checkOpen();
    }
    return {
      get assigned() {
        return member.assigned;
      },
      isAssigned: (topic, key) => member.isAssigned(topic, key),
      passOver: (places, committed) => {
        void member.passOver(places, committed).then(() => this.#reader.look());
      },
      stop,
    };
  }

  async read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
    return browse(this.#database, topic, partition, from, limit);
  }

  async partitions(topic: string): Promise<number> {
    return (await findTopic(this.#database, topic)).partitions;
  }

  async ends(topic: string): Promise<readonly bigint[]> {
    return endsOf(this.#database, topic);
  }

  async lag(group: string): Promise<readonly PartitionLag[]> {
    return lagOf(this.#database, group);
  }

  async resume(gaps: readonly LogGap[]): Promise<void> {
    await resumeAt(this.#database, gaps);
  }

  async forget(group: string): Promise<void> {
    await forgetGroup(this.#database, group);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    // Members first: their work may still publish, such as dead letters.
    await Promise.all([...this.#coordinator.members].map((member) => this.#coordinator.remove(member)));
    await Promise.all([this.#coordinator.stop(), this.#reader.stop(), this.#committer.stop(), this.#publisher.close()]);
    const unlisten = await this.#listening;
    unlisten();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new EventLogError('LOG_CLOSED', 'the log is closed');
  }

  #dispatcher(options: SubscribeOptions): Dispatcher {
    const enough = options.maxInFlight / 4;
    const dispatcher: Dispatcher = new Dispatcher({
      ...options,
      clock: this.#options.clock,
      publish: (records) => this.#publisher.publish(records),
      progressed: () => {
        this.#committer.due();
        // The first room after none starts the reader's wait for more.
        if (dispatcher.room >= enough || dispatcher.room === 1) this.#reader.look();
      },
    });
    return dispatcher;
  }

  /** `records 1 2` (topic ids), `group 3`, or empty: anything may have changed. */
  #onNotify(payload: string): void {
    const [what, ...rest] = payload.split(' ');
    const ids = new Set(rest.map(Number));
    if (what === 'records') return this.#reader.news(ids);
    if (what === 'group') return this.#coordinator.changed(Number(rest[0]));
    this.#reader.news();
    this.#coordinator.changed();
  }
}
