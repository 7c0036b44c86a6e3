import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';

/** Indexes `first` to `last` that do not exist exactly once. */
interface Problem {
  readonly kind: 'missing' | 'repeated';
  readonly first: bigint;
  last: bigint;
}

/** Further ranges are only counted. */
const mostNamed = 10;

/** The index has a gap or a repeat: somebody removed entries or wrote them by hand. */
export class AuditIndexError extends Error {
  readonly code = 'AUDIT_INDEX_BROKEN';
  readonly retriable = false;
}

/** Checks ascending indexes for gaps and repeats. */
export class IndexCheck {
  #next: bigint;
  readonly #named: Problem[] = [];
  #unnamed = 0;

  constructor(first: bigint) {
    this.#next = first;
  }

  get next(): bigint {
    return this.#next;
  }

  see(index: bigint): void {
    if (index > this.#next) this.#note('missing', this.#next, index - 1n);
    if (index < this.#next) this.#note('repeated', index, index);
    else this.#next = index + 1n;
  }

  /** The caller has checked all indexes below `next`. */
  skipTo(next: bigint): void {
    this.#next = next;
  }

  /** All indexes below `size` must have been seen. */
  end(size: bigint): void {
    if (size > this.#next) this.#note('missing', this.#next, size - 1n);
  }

  /** One line, or undefined. */
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

/** One statement reads this many well within its time limit. */
const step = 50_000;

export interface IndexState {
  /** One line; undefined when the read part is intact. */
  readonly problem: string | undefined;
  /** Entries checked, from 0. */
  readonly size: bigint;
  readonly isWhole: boolean;
}

/** Checks that every index from 0 on exists exactly once. Stops after `limitMs` with a partial result. */
export async function checkIndex(pool: Pool, { clock, limitMs }: { clock: Clock; limitMs: number }): Promise<IndexState> {
  const check = new IndexCheck(0n);
  const end = clock.monotonic() + limitMs;
  // Negative indexes exist only if somebody dropped the constraint.
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
