import { EventLogError } from '../errors.ts';
import type { OutgoingRecord } from '../port.ts';
import { type PublishCall, PublishQueue } from '../publish-queue.ts';
import { appendArguments, appendStatement, checkedSize, unknownTopic } from './append.ts';
import type { Database } from './database.ts';
import { settings } from './settings.ts';

/** Appends records: one transaction for everything published during the previous one. */
export class Publisher {
  readonly #database: Database;
  readonly #queue: PublishQueue;

  constructor(database: Database) {
    this.#database = database;
    this.#queue = new PublishQueue({ sizeOf: checkedSize, append: (calls) => this.#append(calls) });
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    await this.#queue.publish(records);
  }

  /** Accepts no more; resolves when accepted records are written or have failed. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #append(calls: readonly PublishCall[]): Promise<void> {
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
      // Repeats each call alone, so one call's error affects no other.
      if (shared) for (const call of calls) await this.#append([call]);
      else for (const call of calls) call.failed(error);
    }
  }

  async #refuse(calls: readonly PublishCall[], unknown: ReadonlySet<string>): Promise<void> {
    const good: PublishCall[] = [];
    for (const call of calls) {
      const topic = call.records.find((record) => unknown.has(record.topic))?.topic;
      if (topic === undefined) good.push(call);
      else call.failed(unknownTopic(topic));
    }
    if (good.length > 0) await this.#append(good);
  }
}
