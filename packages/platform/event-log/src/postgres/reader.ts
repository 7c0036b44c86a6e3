import { type Clock, repeat, Signal } from '@weir/clock';
import { gapError } from '../gap.ts';
import { limits } from '../limits.ts';
import type { Database, Statement } from './database.ts';
import type { Member, Owned } from './member.ts';
import { type RecordRow, recordOf } from './rows.ts';
import { settings } from './settings.ts';

// Per partition, the read ends with the record that fills its share of bytes, so it is bounded and always advances.
const fetchStatement: Statement = {
  name: 'weir_log_fetch',
  text: `
    SELECT w.slot::integer, r.record_offset, r.appended_at_ms, r.key, r.headers, r.value
    FROM unnest($1::smallint[], $2::smallint[], $3::bigint[], $4::integer[]) WITH ORDINALITY w(topic, partition, start, length, slot)
    CROSS JOIN LATERAL (
      SELECT l.*, sum(octet_length(l.value)) OVER (ORDER BY l.record_offset) - octet_length(l.value) AS before
      FROM (
        SELECT record_offset, appended_at_ms, key, headers, value FROM log.records
        WHERE topic = w.topic AND partition = w.partition AND record_offset >= w.start
        ORDER BY topic, partition, record_offset LIMIT w.length) l) r
    WHERE r.before < $5::bigint`,
};

interface Want {
  readonly member: Member;
  readonly owned: Owned;
  readonly count: number;
}

interface FetchedRow extends RecordRow {
  readonly slot: number;
}

export interface ReaderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly members: ReadonlySet<Member>;
  readonly onError: (error: unknown) => void;
}

/** One statement reads for every partition with news and room. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #wakeup: Signal;
  readonly #loop: Promise<void>;
  readonly #short = new Map<Member, number>();
  #turn = 0;
  readonly #stop = new AbortController();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#wakeup = new Signal(options.clock);
    this.#loop = this.#run();
  }

  news(topicIds?: ReadonlySet<number>): void {
    for (const member of this.#options.members) {
      for (const owned of member.owned) owned.behind ||= topicIds === undefined || topicIds.has(owned.topicId);
    }
    this.#wakeup.notify();
  }

  look(): void {
    this.#wakeup.notify();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, onError } = this.#options;
    let polled = clock.monotonic();
    const { signal } = this.#stop;
    await repeat({ clock, every: settings.pauseMs, signal, onError }, async () => {
      const wants = this.#wants();
      if (wants.length > 0) {
        await this.#fetch(wants).catch((error: unknown) => {
          for (const { owned } of wants) owned.behind = true;
          throw error;
        });
        return 0;
      }
      await this.#wakeup.wait(this.#short.size > 0 ? limits.refillMs : settings.pollMs, signal);
      if (clock.monotonic() - polled < settings.pollMs) return 0;
      polled = clock.monotonic();
      this.news();
      return 0;
    });
  }

  #wants(): Want[] {
    const wants = [...this.#options.members].flatMap((member) => this.#wantsOf(member));
    for (const member of this.#short.keys()) if (!this.#options.members.has(member)) this.#short.delete(member);
    return wants;
  }

  /** Shares the room evenly among partitions with unread records, starting with another one each time. */
  #wantsOf(member: Member): Want[] {
    const behind = member.owned.filter((owned) => owned.behind && owned.gap === undefined && !owned.assignment.halted.aborted);
    const { room } = member.dispatcher;
    if (behind.length === 0 || room === 0 || !this.#worthwhile(member, room)) {
      if (behind.length === 0 || room === 0) this.#short.delete(member);
      return [];
    }
    this.#short.delete(member);
    const first = this.#turn++ % behind.length;
    const turned = [...behind.slice(first), ...behind.slice(0, first)].slice(0, room);
    return turned.map((owned) => ({ member, owned, count: Math.floor(room / turned.length) }));
  }

  /** Waits for enough room so that batches are large, but not for long, since handlers may be slow. */
  #worthwhile(member: Member, room: number): boolean {
    if (room >= member.maxInFlight / 4) return true;
    const now = this.#options.clock.monotonic();
    const since = this.#short.get(member) ?? now;
    this.#short.set(member, since);
    return now - since >= limits.refillMs - 1;
  }

  async #fetch(wants: readonly Want[]): Promise<void> {
    // Before the read, so that news during it is kept.
    for (const { owned } of wants) owned.behind = false;
    for (const { member, count } of wants) member.wanted += count;
    const bytes = Math.max(settings.readBytesPerPartition, Math.floor(settings.readBytes / wants.length));
    const release = ({ member, count }: Want): void => void (member.wanted -= count);
    const reading = this.#options.database.run<FetchedRow>(fetchStatement, [
      wants.map(({ owned }) => owned.topicId),
      wants.map(({ owned }) => owned.assignment.partition),
      wants.map(({ owned }) => owned.position),
      wants.map(({ count }) => count),
      bytes,
    ]);
    const rows = await reading.catch((error: unknown) => {
      wants.forEach(release);
      throw error;
    });
    const found = Map.groupBy(rows, (row) => row.slot - 1);
    wants.forEach((want, slot) => {
      const { member, owned, count } = want;
      // The others keep theirs until their turn.
      release(want);
      const part = found.get(slot) ?? [];
      const gap = part[0] === undefined ? undefined : member.stopAt(owned, part[0].record_offset);
      if (gap !== undefined) return this.#options.onError(gapError(gap));
      const size = part.reduce((sum, row) => sum + row.value.length, 0);
      owned.behind ||= part.length === count || size >= bytes;
      const { topic, partition } = owned.assignment;
      member.take(
        owned,
        part.map((row) => recordOf(row, topic, partition)),
      );
    });
  }
}
