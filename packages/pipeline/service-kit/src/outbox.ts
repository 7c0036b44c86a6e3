import { type Clock, repeat } from '@weir/clock';
import type { Codec } from '@weir/contracts';
import type { EventLog } from '@weir/event-log';
import { type Pool, type Queryable, prepared, transaction } from '@weir/postgres';
import { parseTraceparent } from '@weir/tracing';
import type { Metrics } from './metrics.ts';
import {
  type Identity,
  identityOf,
  type NewEvent,
  pieces,
  requireSame,
  type Row,
  type StoredEvent,
  toRow,
  toStored,
} from './outbox-events.ts';
import { claimRows, insertRows, markPublished } from './outbox-rows.ts';
import { OutboxSweep } from './outbox-sweep.ts';
import { traceWritten } from './traced-records.ts';

/** Without failures a stored event is published and marked within this time. */
const underWayMs = 1_000;
const sweepEveryMs = 2_000;
/** Where the log appends, only the version before stores events here, and only a crash of it leaves one. */
const rareSweepEveryMs = 10_000;
/** Well below the age at which the sweep would publish them again. */
const markEveryMs = 200;
/** Events waiting to be marked; beyond that the sweep publishes events twice. */
const mostUnmarked = 50_000;

/** A log with `append` takes events in the transaction that makes them true. It needs no rows here. */
export type OutboxLog = Pick<EventLog, 'publish' | 'append'>;

/**
 * Transactional outbox. A repeat returns the stored bytes. The sweep publishes events left by a crash, also those of a former version where
 * the log appends now. A rejected event stays, with the later ones of its key.
 */
export class Outbox {
  readonly #pool: Pool;
  readonly #log: OutboxLog;
  readonly #codec: Codec;
  readonly #service: string;
  readonly #keeps: (event: NewEvent) => boolean;
  readonly #stop = new AbortController();
  #unmarked: StoredEvent[] = [];
  #isMarking = false;
  readonly #metrics: Metrics | undefined;
  #work: Promise<unknown> = Promise.resolve();

  /** `keeps`: events that get a row also where the log appends them, because others look for them here. */
  constructor(options: {
    pool: Pool;
    log: OutboxLog;
    codec: Codec;
    service: string;
    metrics?: Metrics;
    keeps?: (event: NewEvent) => boolean;
  }) {
    this.#pool = options.pool;
    this.#log = options.log;
    this.#codec = options.codec;
    this.#service = options.service;
    this.#keeps = options.keeps ?? (() => false);
    this.#metrics = options.metrics;
    this.#metrics?.onScrape(() => this.#measure());
  }

  get service(): string {
    return this.#service;
  }

  /** Whether the log appends events in the transaction of their state. Then only a transaction that makes that state may store them. */
  get appends(): boolean {
    return this.#log.append !== undefined;
  }

  /**
   * Stores events in `tx`, as its last step. Returns those to publish after the commit, each as stored: an existing event keeps its first
   * bytes. Rejects with `OutboxConflict` if the id belongs to another event of this service. Where the log appends, they are in it with the
   * commit, and none is left to publish.
   */
  async store(tx: Queryable, events: readonly NewEvent[]): Promise<StoredEvent[]> {
    const { stored, fresh } = await this.write(tx, events);
    const causes = new Map(events.map(({ id, cause }) => [id, parseTraceparent(cause)]));
    traceWritten(
      this.#service,
      fresh.map((event) => ({ ...event, parent: causes.get(event.id) })),
    );
    if (this.#log.append === undefined) return stored;
    await this.#log.append(
      tx,
      fresh.map(({ record }) => record),
    );
    return [];
  }

  /** As `store`, but appends nothing. `fresh`: those that were not stored before, and are not in the log. */
  async write(tx: Queryable, events: readonly NewEvent[]): Promise<{ stored: StoredEvent[]; fresh: StoredEvent[] }> {
    const rows = events.map((event) => toRow(event, this.#service, this.#codec));
    const kept = this.appends ? rows.filter((_, n) => this.#keeps(events[n] as NewEvent)) : rows;
    const { added, batch } = await insertRows(tx, this.#service, kept, !this.appends);
    const own = rows.map(toStored);
    if (this.appends) return { stored: own, fresh: own };
    const known = added.size === rows.length ? own : await this.#loadAll(tx, rows);
    const stored = known.map((event) => (batch !== undefined && added.has(event.id) ? { ...event, batch } : event));
    return { stored, fresh: stored.filter(({ id }) => added.has(id)) };
  }

  async #loadAll(tx: Queryable, rows: readonly Row[]): Promise<StoredEvent[]> {
    const stored = await this.load(
      tx,
      rows.map((row) => row.event_id),
    );
    requireSame(rows, stored.map(identityOf));
    return stored;
  }

  /**
   * For events that usually exist. Returns the missing ones, and the stored ones that a crash has left and the sweep is about to publish.
   * None of either where the log appends.
   */
  async findLost(tx: Queryable, events: readonly NewEvent[]): Promise<{ missing: readonly NewEvent[]; waiting: readonly StoredEvent[] }> {
    if (events.length === 0 || this.appends) return { missing: [], waiting: [] };
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
    const waiting = await this.load(
      tx,
      rows.filter(({ waits }) => waits).map((row) => row.event_id),
    );
    return { missing: events.filter((event) => !there.has(event.id)), waiting };
  }

  /** The events of a repeat, to publish again with the same bytes. None where storing them has appended them. */
  async repeat(tx: Queryable, ids: readonly string[]): Promise<StoredEvent[]> {
    return this.appends ? [] : this.load(tx, ids);
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
    }
    if (this.#unmarked.length < mostUnmarked) this.#unmarked.push(...events);
    if (!this.#isMarking) await this.#mark();
  }

  start(clock: Clock, onError: (error: unknown) => void): void {
    const sweep = new OutboxSweep({
      pool: this.#pool,
      service: this.#service,
      publish: (events) => (this.appends ? this.#append(events) : this.publish(events)),
      mark: () => this.#mark(),
      onRefused: (event, error) => {
        this.#metrics?.outboxRefused.inc({ topic: event.record.topic, reason: error.code });
        onError(error);
      },
    });
    this.#isMarking = true;
    const loop = { clock, signal: this.#stop.signal, onError };
    this.#work = Promise.all([
      ...(this.appends ? [] : [repeat({ ...loop, every: markEveryMs, firstAfter: markEveryMs }, () => this.#mark())]),
      repeat({ ...loop, every: this.appends ? rareSweepEveryMs : sweepEveryMs }, async () => ((await sweep.sweep()) > 0 ? 0 : undefined)),
    ]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
    this.#isMarking = false;
    // Unmarked events are only published again.
    await this.#mark().catch(() => undefined);
  }

  /** Marks and appends in one transaction, and so only once among replicas. */
  async #append(events: readonly StoredEvent[]): Promise<void> {
    await transaction(this.#pool, async (tx) => {
      const ids = events.map(({ id }) => id);
      const claimed = await claimRows(tx, this.#service, ids);
      await this.#log.append?.(
        tx,
        events.filter(({ id }) => claimed.has(id)).map(({ record }) => record),
      );
    });
  }

  async #mark(): Promise<void> {
    const events = this.#unmarked;
    if (events.length === 0) return;
    this.#unmarked = [];
    const batches = [...new Set(events.flatMap(({ batch }) => batch ?? []))];
    const ids = events.flatMap(({ id, batch }) => (batch === undefined ? id : []));
    await markPublished(this.#pool, this.#service, { batches, ids });
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
}
