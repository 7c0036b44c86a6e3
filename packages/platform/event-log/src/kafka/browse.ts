import type { Cluster, KafkaMessage } from 'kafkajs';
import type { Clock } from '@weir/clock';
import { EventLogError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { LogRecord } from '../port.ts';
import type { KafkaClient } from './client.ts';
import type { Directory } from './directory.ts';
import { askKafka } from './errors.ts';
import { recordOf } from './records.ts';
import { settings } from './settings.ts';

/** The used part of a fetch response, which kafkajs leaves untyped. */
interface FetchAnswer {
  readonly responses: readonly { readonly partitions: readonly { readonly messages: readonly FetchedMessage[] }[] }[];
}

type FetchedMessage = KafkaMessage & { readonly isControlRecord?: boolean };

/** Most records are smaller. A fetch returns a batch whole, however large, and reading goes on until the records are there. */
const usualRecordBytes = 16 * 1024;

/** Uses kafkajs's cluster, because joining a group to browse would take seconds. */
export class Browser {
  readonly #open: () => KafkaClient;
  readonly #directory: Directory;
  readonly #clock: Clock;
  #current: KafkaClient | undefined;

  constructor(open: () => KafkaClient, directory: Directory, clock: Clock) {
    this.#open = open;
    this.#directory = directory;
    this.#clock = clock;
  }

  async read(topic: string, partition: number, from: bigint, limit: number): Promise<LogRecord[]> {
    if (!Number.isInteger(partition) || partition < 0 || partition >= (await this.#directory.partitions(topic))) {
      throw new EventLogError('UNKNOWN_PARTITION', `${topic} has no partition ${partition}`);
    }
    const { low, high } = (await this.#directory.extents(topic)).get(partition) ?? { low: 0n, high: 0n };
    const wanted = Math.max(0, Math.min(Math.floor(limit), limits.browseRecords));
    const records: LogRecord[] = [];
    for (let next = from < low ? low : from; next < high && records.length < wanted; ) {
      const messages = await this.#fetch({ topic, partition, from: next, maxBytes: (wanted - records.length) * usualRecordBytes });
      const last = messages.at(-1);
      // Compaction may have removed everything up to the end.
      if (last === undefined) break;
      const page = messages.filter((message) => BigInt(message.offset) >= next && message.isControlRecord !== true);
      records.push(...page.map((message) => recordOf(topic, partition, message)));
      next = BigInt(last.offset) + 1n;
    }
    return records.slice(0, wanted);
  }

  close(): void {
    this.#current?.cut();
    this.#current = undefined;
  }

  async #fetch(of: Fetch): Promise<readonly FetchedMessage[]> {
    const current = (this.#current ??= this.#open());
    try {
      const answer = await askKafka(
        this.#clock,
        settings.askTimeoutMs,
        current.cluster().then((cluster) => fetchOnce(cluster, of)),
      );
      return answer.responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages));
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

interface Fetch {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly maxBytes: number;
}

async function fetchOnce(cluster: Cluster, { topic, partition, from, ...most }: Fetch): Promise<FetchAnswer> {
  await cluster.addTargetTopic(topic);
  await cluster.refreshMetadataIfNecessary();
  const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  const broker = await cluster.findBroker({ nodeId: leader ?? '' });
  const maxBytes = Math.min(most.maxBytes, settings.fetchBytes);
  return (await broker.fetch({
    maxWaitTime: settings.maxWaitMs,
    minBytes: 1,
    maxBytes,
    topics: [{ topic, partitions: [{ partition, fetchOffset: String(from), maxBytes }] }],
  })) as FetchAnswer;
}
