import type { EventLog, LogRecord } from '@weir/event-log';

const page = 1_000;

export class TopicReader {
  readonly #topic: string;
  readonly #from = new Map<number, bigint>();

  constructor(topic: string) {
    this.#topic = topic;
  }

  /** The records since the last call that did not reject. */
  async next(log: Pick<EventLog, 'partitions' | 'read'>): Promise<LogRecord[]> {
    const found: LogRecord[] = [];
    const from = new Map(this.#from);
    for (let partition = 0; partition < (await log.partitions(this.#topic)); partition += 1) {
      for (;;) {
        const records = await log.read(this.#topic, partition, from.get(partition) ?? 0n, page);
        found.push(...records);
        const last = records.at(-1);
        if (last === undefined) break;
        from.set(partition, last.offset + 1n);
      }
    }
    for (const [partition, offset] of from) this.#from.set(partition, offset);
    return found;
  }
}
