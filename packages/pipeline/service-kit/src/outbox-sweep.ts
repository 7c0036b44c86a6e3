import { EventLogError, type EventLogErrorCode } from '@weir/event-log';
import { type Pool, prepared } from '@weir/postgres';
import { pieceBytes, type Row, type StoredEvent, toStored } from './outbox-events.ts';
import { reopenBatches } from './outbox-rows.ts';

export interface OutboxSweepOptions {
  readonly pool: Pool;
  readonly service: string;
  readonly publish: (events: readonly StoredEvent[]) => Promise<void>;
  /** Marks what `publish` has published. */
  readonly mark: () => Promise<void>;
  readonly onRefused: (event: StoredEvent, error: EventLogError) => void;
}

/** Younger events are still being published by their own process. */
const sweepAgeMs = 2_000;
const sweepLimit = 500;
/** Retry interval of a rejected event: the operator may have created its topic or raised a limit. */
const refusedEveryMs = 60_000;
/** The log never accepts this record, but may accept others. */
const refusals: ReadonlySet<EventLogErrorCode> = new Set(['INVALID_RECORD', 'INVALID_TOPIC', 'UNKNOWN_TOPIC', 'TOPIC_DENIED']);

/** Publishes the events that a crash has left. A rejected event stays, with the later ones of its key. */
export class OutboxSweep {
  readonly #options: OutboxSweepOptions;

  constructor(options: OutboxSweepOptions) {
    this.#options = options;
  }

  /** Returns how many events were found. */
  async sweep(): Promise<number> {
    await reopenBatches(this.#options.pool, this.#options.service, sweepAgeMs);
    const { rows } = await this.#options.pool.query<Row>(
      prepared(`SELECT event_id, topic, key, value, headers
       FROM (
         SELECT *, sum(octet_length(value)) OVER (ORDER BY created_at, event_id) - octet_length(value) AS before
         FROM (
           SELECT * FROM outbox.events e
           WHERE service = $1 AND NOT published AND created_at < now() - $2 * interval '1 millisecond'
             AND NOT EXISTS (
               SELECT FROM outbox.events r
               WHERE r.service = $1 AND NOT r.published AND r.refused_at > now() - $5 * interval '1 millisecond' AND r.key = e.key
                 AND (r.created_at, r.event_id) <= (e.created_at, e.event_id))
           ORDER BY created_at LIMIT $3) AS oldest) AS summed
       WHERE before < $4 ORDER BY created_at, event_id`),
      [this.#options.service, sweepAgeMs, sweepLimit, pieceBytes, refusedEveryMs],
    );
    await this.#publishOthers(rows.map(toStored), new Set());
    // Now, or the next sweep would find them again.
    await this.#options.mark();
    return rows.length;
  }

  /** Publishes all events except rejected ones and the later ones of their keys. `keys` collects the keys of rejected events. */
  async #publishOthers(events: readonly StoredEvent[], keys: Set<string>): Promise<void> {
    const open = events.filter(({ record }) => !keys.has(record.key));
    const [first] = open;
    if (first === undefined) return;
    try {
      await this.#options.publish(open);
    } catch (error) {
      if (!(error instanceof EventLogError) || !refusals.has(error.code)) throw error;
      if (open.length === 1) {
        keys.add(first.record.key);
        await this.#options.pool.query(
          prepared('UPDATE outbox.events SET refused_at = now(), refusal = $3 WHERE service = $1 AND event_id = $2'),
          [this.#options.service, first.id, error.code],
        );
        this.#options.onRefused(first, error);
        return;
      }
      // Bisects in order until the rejected ones stand alone.
      const half = Math.ceil(open.length / 2);
      await this.#publishOthers(open.slice(0, half), keys);
      await this.#publishOthers(open.slice(half), keys);
    }
  }
}
