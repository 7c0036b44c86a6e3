import type { Clock } from '@weir/clock';
import { type ScreeningDecided, UndecodableRecord } from '@weir/contracts';
import { type LogRecord, PoisonRecord } from '@weir/event-log';
import type { Pipeline, StageEvent } from '@weir/service-kit';
import { deliveryOf } from '../webhooks/payload.ts';
import { encodePositions, type Positions } from './positions.ts';

const topic = 'screenings.decided';
/** Records of one partition at a time; bounds the memory of a client. */
const maxRecords = 100;
/** Every client of a process knows the same ends for this time. */
const endsFreshMs = 500;

export interface StreamEvent {
  readonly id: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly decision: ScreeningDecided;
}

/** Reads decisions outside any consumer group, so that each client has its own place. The same on both tiers. */
export class DecisionTail {
  readonly #pipeline: Pick<Pipeline, 'log' | 'codec'>;
  readonly #clock: Clock;
  #ends: { readonly at: number; readonly positions: Promise<Positions> } | undefined;

  constructor(pipeline: Pick<Pipeline, 'log' | 'codec'>, clock: Clock) {
    this.#pipeline = pipeline;
    this.#clock = clock;
  }

  /** Where the next decision of each partition will be. `maxAgeMs` 0: as of now. */
  ends(maxAgeMs = endsFreshMs): Promise<Positions> {
    const now = this.#clock.monotonic();
    if (this.#ends === undefined || now - this.#ends.at >= maxAgeMs) this.#ends = { at: now, positions: this.#readEnds() };
    return this.#ends.positions;
  }

  /** Decisions from `positions` on, partition by partition, and moves `positions` behind each. */
  async *read(positions: bigint[]): AsyncGenerator<StreamEvent> {
    const ends = await this.ends();
    for (const [partition, end] of ends.entries()) {
      const from = positions[partition] ?? 0n;
      if (from >= end) continue;
      const records = await this.#pipeline.log.read(topic, partition, from, maxRecords);
      for (const record of records) {
        positions[partition] = record.offset + 1n;
        const event = await this.#eventOf(record, encodePositions(positions));
        if (event !== undefined) yield event;
      }
      if (records.length === 0) positions[partition] = end;
    }
  }

  /** Undefined for a record that is a dead letter of the console too. */
  async #eventOf(record: LogRecord, id: string): Promise<StreamEvent | undefined> {
    try {
      const decision = await this.#pipeline.codec.decode(topic, record.value);
      const event: StageEvent<typeof topic> = { topic, data: decision, record };
      return { id, type: 'screening.decided', data: deliveryOf(event).body.toString(), decision };
    } catch (error) {
      if (error instanceof UndecodableRecord || error instanceof PoisonRecord) return undefined;
      throw error;
    }
  }

  async #readEnds(): Promise<Positions> {
    const { log } = this.#pipeline;
    const ends = Array.from({ length: await log.partitions(topic) }, () => 0n);
    for (const lag of await log.lag('console')) if (lag.topic === topic) ends[lag.partition] = lag.end;
    return ends;
  }
}
