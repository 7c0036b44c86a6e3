import type { EventLog, LogRecord } from '@weir/event-log';

const page = 1_000;

export class TopicReader {
  readonly #topic: string;
  readonly #from = new Map<number, bigint>();

  constructor(topic: string) {
    this.#topic = topic;
  }

  /** The records since the last call. */
  async next(log: EventLog): Promise<LogRecord[]> {
    const found: LogRecord[] = [];
    for (let partition = 0; partition < (await log.partitions(this.#topic)); partition += 1) {
      for (;;) {
        const records = await log.read(this.#topic, partition, this.#from.get(partition) ?? 0n, page);
        found.push(...records);
        const last = records.at(-1);
        if (last === undefined) break;
        this.#from.set(partition, last.offset + 1n);
      }
    }
    return found;
  }
}
