import { EventLogError } from './errors.ts';
import { limits } from './limits.ts';
import type { OutgoingRecord } from './port.ts';

/** One call of `publish`: written as a whole, or failed as a whole. */
export interface PublishCall {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

export interface PublishQueueOptions {
  /** Bytes of memory that the record takes while it waits, roughly. Throws `INVALID_RECORD` for what the log cannot store. */
  sizeOf(record: OutgoingRecord): number;
  /** Writes the calls together and tells each what became of it. Never rejects. */
  append(calls: readonly PublishCall[]): Promise<void>;
}

/** Calls of `publish` that come while an append is under way share the next one, in the order they came. */
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

  /** Takes nothing more; resolves when what was taken is written or has failed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
  }

  async #drain(): Promise<void> {
    // Everything published in the same turn goes into the same append.
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

  /** As many calls as one append may hold; at least one, for a call is written as a whole. */
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
