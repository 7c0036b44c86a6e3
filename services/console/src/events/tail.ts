import type { Clock } from '@weir/clock';
import { UndecodableRecord } from '@weir/contracts';
import { type LogRecord, PoisonRecord } from '@weir/event-log';
import type { Pipeline } from '@weir/service-kit';
import { encodePlace, type Place, type Positions } from './positions.ts';
import { type EventBody, eventBodyOf, type StreamRecord, type StreamTopic, streamTopics } from './stream-event.ts';

/** Records of one partition at a time; bounds the memory of a client. */
const maxRecords = 100;
/** Every client of a process knows the same ends for this time. */
const endsFreshMs = 500;

export interface StreamEvent extends EventBody {
  readonly id: string;
}

/** Reads topics outside any consumer group, so that each client has its own place. The same on both tiers. */
export class TopicTail {
  readonly #pipeline: Pick<Pipeline, 'log' | 'codec'>;
  readonly #clock: Clock;
  readonly #ends = new Map<StreamTopic, { readonly at: number; readonly positions: Promise<Positions> }>();

  constructor(pipeline: Pick<Pipeline, 'log' | 'codec'>, clock: Clock) {
    this.#pipeline = pipeline;
    this.#clock = clock;
  }

  /** Where the next record of each partition will be. `maxAgeMs` 0: as of now. */
  ends(topic: StreamTopic, maxAgeMs = endsFreshMs): Promise<Positions> {
    const now = this.#clock.monotonic();
    const known = this.#ends.get(topic);
    if (known !== undefined && now - known.at < maxAgeMs) return known.positions;
    const positions = this.#pipeline.log.ends(topic);
    this.#ends.set(topic, { at: now, positions });
    return positions;
  }

  /** Events from `place` on, topic by topic and partition by partition, and moves `place` behind each. */
  async *read(place: Place): AsyncGenerator<StreamEvent> {
    for (const [n, topic] of streamTopics.entries()) {
      const positions = place[n];
      if (positions === undefined) continue;
      for (const [partition, end] of (await this.ends(topic)).entries()) {
        const from = positions[partition] ?? 0n;
        if (from >= end) continue;
        const records = await this.#pipeline.log.read(topic, partition, from, maxRecords);
        for (const record of records) {
          positions[partition] = record.offset + 1n;
          const body = await this.#bodyOf(topic, record);
          if (body !== undefined) yield { id: encodePlace(place), ...body };
        }
        if (records.length === 0) positions[partition] = end;
      }
    }
  }

  /** Undefined for a record that is a dead letter too. */
  async #bodyOf(topic: StreamTopic, record: LogRecord): Promise<EventBody | undefined> {
    try {
      const data = await this.#pipeline.codec.decode(topic, record.value);
      return eventBodyOf({ topic, data, record } as StreamRecord);
    } catch (error) {
      if (error instanceof UndecodableRecord || error instanceof PoisonRecord) return undefined;
      throw error;
    }
  }
}
