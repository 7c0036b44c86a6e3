import { type Clock, repeat } from '@weir/clock';
import type { Codec, Topic, TopicRecords } from '@weir/contracts';
import { type EventLog, EventLogError, type EventLogErrorCode, type OutgoingRecord } from '@weir/event-log';
import { deleteInSteps, type Pool, type Queryable, prepared, rowsAStep } from '@weir/postgres';
import type { Metrics } from './metrics.ts';

/** An event to publish. `id` derives from the content (see `eventId`), so a repeat is the same event. */
export interface NewEvent<T extends Topic = Topic> {
  readonly topic: T;
  readonly id: string;
  /** The transfer's id, so that one transfer stays in order. */
  readonly key: string;
  readonly screeningId: string;
  /** Unix milliseconds. */
  readonly time: number;
  readonly data: TopicRecords[T];
}

export interface StoredEvent {
  readonly id: string;
  readonly record: OutgoingRecord;
}

/** The service has stored another event under the id, or the row is unreadable. The transaction must not commit. */
export class OutboxConflict extends Error {
  constructor(id: string, problem: string) {
    super(`the outbox cannot store event ${id}: ${problem}`);
    this.name = 'OutboxConflict';
  }
}

type OnRefused = (event: StoredEvent, error: EventLogError) => void;

interface Identity extends Record<string, unknown> {
  event_id: string;
  topic: string;
  key: string;
}

interface Row extends Identity {
  value: Buffer;
  headers: Record<string, string>;
}

/** Without failures a stored event is published and marked within this time. */
const underWayMs = 1_000;
const sweepEveryMs = 2_000;
/** Younger events are still being published by their own process. */
const sweepAgeMs = 2_000;
const sweepLimit = 500;
/** Bytes per publish and per read of the sweep: evidence makes events large, and the log limits a call. */
const pieceBytes = 8 * 1024 * 1024;
/** Well below the age at which the sweep would publish them again. */
const markEveryMs = 200;
/** Retry interval of a rejected event: the operator may have created its topic or raised a limit. */
const refusedEveryMs = 60_000;
/** The log never accepts this record, but may accept others. */
const refusals: ReadonlySet<EventLogErrorCode> = new Set(['INVALID_RECORD', 'INVALID_TOPIC', 'UNKNOWN_TOPIC', 'TOPIC_DENIED']);
/** Ids waiting to be marked; beyond that the sweep publishes events twice. */
const mostUnmarked = 50_000;

/**
 * Transactional outbox. A repeat returns the stored bytes. The sweep publishes events left by a crash. A rejected event stays, with the
 * later ones of its key.
 */
export class Outbox {
  readonly #pool: Pool;
  readonly #log: EventLog;
  readonly #codec: Codec;
  readonly #service: string;
  readonly #stop = new AbortController();
  #unmarked: string[] = [];
  #isMarking = false;
  readonly #metrics: Metrics | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: { pool: Pool; log: EventLog; codec: Codec; service: string; metrics?: Metrics }) {
    this.#pool = options.pool;
    this.#log = options.log;
    this.#codec = options.codec;
    this.#service = options.service;
    this.#metrics = options.metrics;
    this.#metrics?.onScrape(() => this.#measure());
  }

  /**
   * Stores events in `tx`. Returns each as stored: an existing event keeps its first bytes. Rejects with `OutboxConflict` if the id belongs
   * to another event of this service.
   */
  async store(tx: Queryable, events: readonly NewEvent[]): Promise<StoredEvent[]> {
    if (events.length === 0) return [];
    const rows = events.map((event) => this.#row(event));
    const { rows: added } = await tx.query<{ event_id: string }>(
      prepared(`INSERT INTO outbox.events (event_id, service, topic, key, value, headers)
       SELECT u.id, $1, u.topic, u.key, u.value, u.headers
       FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::jsonb[]) AS u(id, topic, key, value, headers)
       -- A fixed order prevents deadlocks between transactions that store the same events.
       ORDER BY u.id
       ON CONFLICT (service, event_id) DO NOTHING RETURNING event_id`),
      [
        this.#service,
        rows.map((row) => row.event_id),
        rows.map((row) => row.topic),
        rows.map((row) => row.key),
        rows.map((row) => row.value),
        rows.map((row) => JSON.stringify(row.headers)),
      ],
    );
    if (added.length === rows.length) return rows.map(toStored);
    const stored = await this.load(
      tx,
      rows.map((row) => row.event_id),
    );
    requireSame(
      rows,
      stored.map(({ id, record }) => ({ event_id: id, topic: record.topic, key: record.key })),
    );
    return stored;
  }

  /** For events that usually exist. Stores missing ones and returns those to publish: new ones, and those whose process may have ended. */
  async storeIfLost(tx: Queryable, events: readonly NewEvent[]): Promise<StoredEvent[]> {
    if (events.length === 0) return [];
    const { rows } = await tx.query<Identity & { waits: boolean }>(
      prepared(`SELECT event_id, topic, key, NOT published AND created_at < now() - $2 * interval '1 millisecond' AS waits
       FROM outbox.events WHERE service = $3 AND event_id = ANY($1::uuid[])`),
      [events.map((event) => event.id), underWayMs, this.#service],
    );
    const there = new Set(rows.map((row) => row.event_id));
    requireSame(
      events.filter(({ id }) => there.has(id)).map(({ id, topic, key }) => ({ event_id: id, topic, key })),
      rows,
    );
    const waiting = rows.filter(({ waits }) => waits).map((row) => row.event_id);
    return [
      ...(await this.load(tx, waiting)),
      ...(await this.store(
        tx,
        events.filter((event) => !there.has(event.id)),
      )),
    ];
  }

  /** This service's stored events, in the order of `ids`, without unknown ones. */
  async load(db: Queryable, ids: readonly string[]): Promise<StoredEvent[]> {
    if (ids.length === 0) return [];
    const { rows } = await db.query<Row>(
      prepared('SELECT event_id, topic, key, value, headers FROM outbox.events WHERE service = $2 AND event_id = ANY($1::uuid[])'),
      [ids, this.#service],
    );
    const byId = new Map(rows.map((row) => [row.event_id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row === undefined ? [] : [toStored(row)];
    });
  }

  /** Publishes stored events; resolves when the log has them durably. Marks them a little later, in batches. */
  async publish(events: readonly StoredEvent[]): Promise<void> {
    for (const piece of pieces(events)) {
      await this.#log.publish(piece.map((event) => event.record));
      if (this.#unmarked.length < mostUnmarked) this.#unmarked.push(...piece.map((event) => event.id));
    }
    if (!this.#isMarking) await this.#mark();
  }

  start(clock: Clock, onError: (error: unknown) => void): void {
    const onRefused: OnRefused = (event, error) => {
      this.#metrics?.outboxRefused.inc({ topic: event.record.topic, reason: error.code });
      onError(error);
    };
    this.#isMarking = true;
    const loop = { clock, signal: this.#stop.signal, onError };
    this.#work = Promise.all([
      repeat({ ...loop, every: markEveryMs, firstAfter: markEveryMs }, () => this.#mark()),
      repeat({ ...loop, every: sweepEveryMs }, async () => ((await this.#sweep(onRefused)) > 0 ? 0 : undefined)),
    ]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
    this.#isMarking = false;
    // Unmarked events are only published again.
    await this.#mark().catch(() => undefined);
  }

  /** Asynchronous commit is safe, as is losing the mark: the event is published again with the same bytes. */
  async #mark(): Promise<void> {
    const ids = this.#unmarked;
    if (ids.length === 0) return;
    this.#unmarked = [];
    await this.#pool.query(markStatement, [ids, this.#service]);
  }

  async #sweep(onRefused: OnRefused): Promise<number> {
    const { rows } = await this.#pool.query<Row>(
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
      [this.#service, sweepAgeMs, sweepLimit, pieceBytes, refusedEveryMs],
    );
    await this.#publishOthers(rows.map(toStored), new Set(), onRefused);
    // Now, or the next sweep would find them again.
    await this.#mark();
    return rows.length;
  }

  /** Publishes all events except rejected ones and the later ones of their keys. `keys` collects the keys of rejected events. */
  async #publishOthers(events: readonly StoredEvent[], keys: Set<string>, onRefused: OnRefused): Promise<void> {
    const open = events.filter(({ record }) => !keys.has(record.key));
    const [first] = open;
    if (first === undefined) return;
    try {
      await this.publish(open);
    } catch (error) {
      if (!(error instanceof EventLogError) || !refusals.has(error.code)) throw error;
      if (open.length === 1) {
        keys.add(first.record.key);
        await this.#pool.query(prepared('UPDATE outbox.events SET refused_at = now(), refusal = $3 WHERE service = $1 AND event_id = $2'), [
          this.#service,
          first.id,
          error.code,
        ]);
        onRefused(first, error);
        return;
      }
      // Bisects in order until the rejected ones stand alone.
      const half = Math.ceil(open.length / 2);
      await this.#publishOthers(open.slice(0, half), keys, onRefused);
      await this.#publishOthers(open.slice(half), keys, onRefused);
    }
  }

  async #measure(): Promise<void> {
    const { rows } = await this.#pool.query<{ topic: string; count: number }>(
      prepared(`SELECT topic, count(*)::int AS count FROM outbox.events
       WHERE service = $1 AND NOT published AND refused_at IS NOT NULL GROUP BY topic`),
      [this.#service],
    );
    this.#metrics?.outboxRefusedEvents.reset();
    for (const { topic, count } of rows) this.#metrics?.outboxRefusedEvents.set({ topic }, count);
  }

  #row({ topic, id, key, screeningId, time, data }: NewEvent): Row {
    const headers = {
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: `/weir/${this.#service}`,
      ce_type: `weir.${topic}`,
      ce_time: new Date(time).toISOString(),
      'content-type': 'application/avro',
      // One screening is one trace; each event is a span.
      traceparent: `00-${screeningId.replaceAll('-', '')}-${id.replaceAll('-', '').slice(0, 16)}-01`,
    };
    return { event_id: id, topic, key, value: this.#codec.encode(topic, data), headers };
  }
}

const markStatement = prepared(
  `WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
   UPDATE outbox.events SET published = true
   WHERE service = $2 AND event_id = ANY($1::uuid[]) AND NOT published AND EXISTS (SELECT FROM quick)`,
);

/** Each of `wanted` must be in `stored` with the same topic and key. */
function requireSame(wanted: readonly Identity[], stored: readonly Identity[]): void {
  const byId = new Map(stored.map((row) => [row.event_id, row]));
  for (const { event_id, topic, key } of wanted) {
    const row = byId.get(event_id);
    if (row === undefined) throw new OutboxConflict(event_id, 'its row was there and cannot be read');
    if (row.topic !== topic || row.key !== key)
      throw new OutboxConflict(event_id, `the id is that of an event of ${row.topic} with another key or topic`);
  }
}

/** Each piece ends with the event that fills it, so every event fits. */
function pieces(events: readonly StoredEvent[]): StoredEvent[][] {
  const all: StoredEvent[][] = [];
  let size = pieceBytes;
  for (const event of events) {
    if (size >= pieceBytes) {
      all.push([]);
      size = 0;
    }
    all.at(-1)?.push(event);
    size += event.record.value.length;
  }
  return all;
}

function toStored(row: Row): StoredEvent {
  return { id: row.event_id, record: { topic: row.topic, key: row.key, value: row.value, headers: row.headers } };
}

/** Deletes published events older than `retentionMs`, in bounded steps. Nobody repeats those. */
export async function trimOutbox(pool: Pool, retentionMs: number): Promise<void> {
  await deleteInSteps(pool, trimStatement, [retentionMs]);
}

const trimStatement = prepared(
  `DELETE FROM outbox.events WHERE (service, event_id) IN (
     SELECT service, event_id FROM outbox.events WHERE published AND created_at < now() - $1 * interval '1 millisecond' LIMIT ${rowsAStep})`,
);
