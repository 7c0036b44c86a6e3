import type { LogRecord } from '../port.ts';
import { text } from './harness.ts';

/** Checks the limits and order of handlers, for all members of a group. */
export class Witness {
  readonly violations: string[] = [];
  readonly handed: LogRecord[] = [];
  readonly completed: LogRecord[] = [];
  mostInHand = 0;
  largestBatch = 0;
  #inHand = 0;
  readonly #busy = new Set<string>();

  /** Values of completed records, each once, by first completion. */
  get values(): string[] {
    return [...new Set(this.completed.map(text))];
  }

  async watch(records: readonly LogRecord[], work: () => Promise<void>): Promise<void> {
    const keys = new Set(records.map((record) => record.key));
    for (const key of keys) {
      if (this.#busy.has(key)) this.violations.push(`${key} twice at once`);
      this.#busy.add(key);
    }
    this.#inHand += records.length;
    this.mostInHand = Math.max(this.mostInHand, this.#inHand);
    this.largestBatch = Math.max(this.largestBatch, records.length);
    this.handed.push(...records);
    try {
      await work();
      this.completed.push(...records);
    } finally {
      this.#inHand -= records.length;
      for (const key of keys) this.#busy.delete(key);
    }
  }

  /** Keys whose records first completed out of order. Values must be numbers. */
  get outOfOrder(): string[] {
    const last = new Map<string, number>();
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const record of this.completed) {
      if (seen.has(text(record))) continue;
      seen.add(text(record));
      const value = Number(text(record));
      if (value < (last.get(record.key) ?? -1)) wrong.push(`${record.key}: ${value} after ${last.get(record.key)}`);
      last.set(record.key, value);
    }
    return wrong;
  }
}

export class Gate {
  readonly #opened = Promise.withResolvers<void>();

  open(): void {
    this.#opened.resolve();
  }

  get passed(): Promise<void> {
    return this.#opened.promise;
  }
}
