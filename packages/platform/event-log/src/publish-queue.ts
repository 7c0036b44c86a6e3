import { EventLogError } from './errors.ts';
import { limits } from './limits.ts';
import type { OutgoingRecord } from './port.ts';

export interface PublishCall {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

export interface PublishQueueOptions {
  /** The record's approximate memory in bytes. Throws `INVALID_RECORD` for content that the log cannot store. */
  sizeOf(record: OutgoingRecord): number;
  /** Writes the calls together and reports each result to its call. Never rejects. */
  append(calls: readonly PublishCall[]): Promise<void>;
}

/** Calls of `publish` during an append share the next one, in order. */
export class PublishQueue {
  readonly #options: PublishQueueOptions;
  readonly #waiting: PublishCall[] = [];
  #records = 0;
  #bytes = 0;
  #work: Promise<void> | undefined;
  #closed = false;

  constructor(options: PublishQueueOptions) {
    this.#options = options;
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closed) throw new EventLogError('LOG_CLOSED', 'the log is closed');
    if (records.length === 0) return;
    const bytes = records.reduce((sum, record) => sum + this.#options.sizeOf(record), 0);
    if (records.length > limits.waitingRecords || bytes > limits.waitingBytes) {
      throw new EventLogError('INVALID_RECORD', `${records.length} records of ${bytes} bytes are too much for one call`);
    }
    if (this.#records + records.length > limits.waitingRecords || this.#bytes + bytes > limits.waitingBytes) {
      throw new EventLogError('LOG_OVERLOADED', 'too much is waiting to be published');
    }
    return new Promise((written, failed) => {
      this.#waiting.push({ records, bytes, written, failed });
      this.#records += records.length;
      this.#bytes += bytes;
      this.#work ??= this.#drain();
    });
  }

  /** Accepts no more; resolves when accepted records are written or have failed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    // Everything published in the same turn shares an append.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const calls = this.#take();
      await this.#options.append(calls);
      for (const call of calls) {
        this.#records -= call.records.length;
        this.#bytes -= call.bytes;
      }
    }
    this.#work = undefined;
  }

  /** As many calls as one append holds; at least one, since a call is never split. */
  #take(): PublishCall[] {
    let records = 0;
    let bytes = 0;
    let count = 0;
    for (const call of this.#waiting) {
      records += call.records.length;
      bytes += call.bytes;
      if (count > 0 && (records > limits.appendRecords || bytes > limits.appendBytes)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}
