import { EventLogError } from '../errors.ts';
import type { OutgoingRecord } from '../port.ts';
import { appendArguments, appendStatement, checkedSize } from './append.ts';
import type { Database } from './database.ts';
import { settings } from './settings.ts';

interface Waiting {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/** Appends records. Calls that come while a transaction is under way share the next one, in the order they came. */
export class Publisher {
  readonly #database: Database;
  readonly #waiting: Waiting[] = [];
  #records = 0;
  #bytes = 0;
  #work: Promise<void> | undefined;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closed) throw new EventLogError('LOG_CLOSED', 'the log is closed');
    if (records.length === 0) return;
    const bytes = records.reduce((sum, record) => sum + checkedSize(record), 0);
    if (records.length > settings.waitingRecords || bytes > settings.waitingBytes) {
      throw new EventLogError('INVALID_RECORD', `${records.length} records of ${bytes} bytes are too much for one call`);
    }
    if (this.#records + records.length > settings.waitingRecords || this.#bytes + bytes > settings.waitingBytes) {
      throw new EventLogError('LOG_OVERLOADED', 'too much is waiting to be published');
    }
    return new Promise((written, failed) => {
      this.#waiting.push({ records, bytes, written, failed });
      this.#records += records.length;
      this.#bytes += bytes;
      this.#work ??= this.#drain();
    });
  }

  /** Takes nothing more; resolves when what was taken is written or has failed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    // Everything published in the same turn goes into the same transaction.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const calls = this.#take();
      await this.#append(calls);
      for (const call of calls) {
        this.#records -= call.records.length;
        this.#bytes -= call.bytes;
      }
    }
    this.#work = undefined;
  }

  /** As many calls as one transaction may hold; at least one, for a call is written as a whole. */
  #take(): Waiting[] {
    let records = 0;
    let bytes = 0;
    let count = 0;
    for (const call of this.#waiting) {
      records += call.records.length;
      bytes += call.bytes;
      if (count > 0 && (records > settings.appendRecords || bytes > settings.appendBytes)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #append(calls: readonly Waiting[]): Promise<void> {
    try {
      const records = calls.flatMap((call) => call.records);
      const [row] = await this.#database.run<{ unknown: string[] | null }>(
        appendStatement,
        appendArguments(records),
        settings.appendTimeoutMs,
      );
      if (row?.unknown == null) for (const call of calls) call.written();
      else await this.#refuse(calls, new Set(row.unknown));
    } catch (error) {
      const shared = calls.length > 1 && error instanceof EventLogError && !error.retriable;
      // One call's fault is not the others': each shows for itself.
      if (shared) for (const call of calls) await this.#append([call]);
      else for (const call of calls) call.failed(error);
    }
  }

  async #refuse(calls: readonly Waiting[], unknown: ReadonlySet<string>): Promise<void> {
    const good: Waiting[] = [];
    for (const call of calls) {
      const topic = call.records.find((record) => unknown.has(record.topic))?.topic;
      if (topic === undefined) good.push(call);
      else call.failed(new EventLogError('UNKNOWN_TOPIC', `there is no topic ${topic}`));
    }
    if (good.length > 0) await this.#append(good);
  }
}
