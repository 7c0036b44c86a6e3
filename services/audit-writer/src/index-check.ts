import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';

/** Indexes that are not there exactly once, `first` to `last`. */
interface Problem {
  readonly kind: 'missing' | 'repeated';
  readonly first: bigint;
  last: bigint;
}

/** Ranges that are named; the rest is counted. */
const mostNamed = 10;

/** The audit log's index has a gap or repeats itself: entries were removed or written by hand. */
export class AuditIndexError extends Error {
  readonly code = 'AUDIT_INDEX_BROKEN';
  readonly retriable = false;
}

/** Looks at indexes one after the other, in ascending order, and notes which are missing or repeated. */
export class IndexCheck {
  #next: bigint;
  readonly #named: Problem[] = [];
  #unnamed = 0;

  /** `first`: the index that must come first. */
  constructor(first: bigint) {
    this.#next = first;
  }

  /** The index that must come next. */
  get next(): bigint {
    return this.#next;
  }

  see(index: bigint): void {
    if (index > this.#next) this.#note('missing', this.#next, index - 1n);
    if (index < this.#next) this.#note('repeated', index, index);
    else this.#next = index + 1n;
  }

  /** All up to `next` was seen elsewhere, each once. */
  skipTo(next: bigint): void {
    this.#next = next;
  }

  /** `size`: all below it must have been seen. */
  end(size: bigint): void {
    if (size > this.#next) this.#note('missing', this.#next, size - 1n);
  }

  /** One line that names what is wrong; undefined when nothing is. */
  problem(): string | undefined {
    if (this.#named.length === 0) return undefined;
    const named = (kind: Problem['kind']): string =>
      this.#named
        .filter((problem) => problem.kind === kind)
        .map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`))
        .join(', ');
    const [missing, repeated] = [named('missing'), named('repeated')];
    const parts = [
      missing && `missing ${missing}`,
      repeated && `repeated or out of order ${repeated}`,
      this.#unnamed > 0 && `and ${this.#unnamed} more`,
    ];
    return `the index of the audit log is broken: ${parts.filter(Boolean).join('; ')}`;
  }

  #note(kind: Problem['kind'], first: bigint, last: bigint): void {
    const before = this.#named.at(-1);
    if (before?.kind === kind && first <= before.last + 1n) before.last = last;
    else if (this.#named.length < mostNamed) this.#named.push({ kind, first, last });
    else this.#unnamed += 1;
  }
}

/** Entries of one step: what one statement reads well within its limit. */
const step = 50_000;

export interface IndexState {
  /** One line; undefined when the index is whole as far as it was read. */
  readonly problem: string | undefined;
  /** Entries from 0 that were looked at. */
  readonly size: bigint;
  readonly isWhole: boolean;
}

/** Looks whether every index from 0 on is there exactly once. Stops after `limitMs` with what it has seen. */
export async function checkIndex(pool: Pool, { clock, limitMs }: { clock: Clock; limitMs: number }): Promise<IndexState> {
  const check = new IndexCheck(0n);
  const end = clock.monotonic() + limitMs;
  // Below 0 there is nothing, unless somebody took the constraint away.
  for (let from = -(2n ** 63n); ; ) {
    const rows = `SELECT index FROM audit.entries WHERE index >= $1 ORDER BY index FETCH FIRST ${step} ROWS WITH TIES`;
    const { rows: found } = await pool.query<{ n: bigint; distinct: bigint; first: bigint | null; last: bigint | null }>(
      `SELECT count(*) AS n, count(DISTINCT index) AS distinct, min(index) AS first, max(index) AS last FROM (${rows}) AS read`,
      [from],
    );
    const { n = 0n, distinct = 0n, first = null, last = null } = found[0] ?? {};
    if (first === null || last === null) return { problem: check.problem(), size: check.next, isWhole: true };
    if (first === check.next && distinct === n && last - first + 1n === n) check.skipTo(last + 1n);
    else for (const row of (await pool.query<{ index: bigint }>(rows, [from])).rows) check.see(row.index);
    from = last + 1n;
    if (n < BigInt(step)) return { problem: check.problem(), size: check.next, isWhole: true };
    if (clock.monotonic() > end) return { problem: check.problem(), size: check.next, isWhole: false };
  }
}
