import { chains, parseAddress, parseTxid } from '@weir/chains';
import { advisoryLock, prepared, type Pool, type Queryable, transaction } from '@weir/postgres';
import type { ScoreChange } from '@weir/risk-client';

/** A transaction that waits for this lock blocks all admissions behind it: if a stuck replica holds it, give up and retry. */
const lockTimeoutMs = 2_000;

export interface Page {
  readonly feed: string;
  /** Null: the beginning of the feed. */
  readonly after: string | null;
  readonly changes: readonly ScoreChange[];
  readonly next_cursor: string;
  /** The feed has no further page now. */
  readonly isLast: boolean;
}

/**
 * Stores score changes in one transaction: deletes cached results, begins a new round of running lookups, and queues the screenings for
 * re-screening. False, without any effect, when another replica has read on from this cursor.
 */
export async function noteChanges(pool: Pool, page: Page): Promise<boolean> {
  const subjects = subjectsOf(page.changes);
  const note = async (tx: Queryable): Promise<boolean> => {
    // Once this lock is granted, every admission that used the old result is committed and counts as answered.
    if (subjects.length > 0) await tx.query(prepared(`SELECT ${advisoryLock('scoring-results')}`));
    const { rowCount } = await tx.query(
      prepared(`UPDATE scoring.feeds SET cursor = $3, is_absent = false, caught_up_at = CASE WHEN $4 THEN now() ELSE caught_up_at END
       WHERE feed = $1 AND cursor IS NOT DISTINCT FROM $2`),
      [page.feed, page.after, page.next_cursor, page.isLast],
    );
    if (rowCount === 0) return false;
    if (subjects.length > 0) await strikeOut(tx, subjects);
    return true;
  };
  return transaction(pool, note, { lockTimeoutMs });
}

interface Subject {
  readonly chain: string;
  readonly subject: string;
  /** Empty: any. An address has one score in both directions. */
  readonly direction: string;
  /** Screenings requested earlier (Unix ms) keep their result. */
  readonly sinceMs: number;
}

/**
 * A new transfer leaves earlier results right as of their time. Only screenings answered between its import and the change event are
 * affected; publishing takes seconds.
 */
const tellingTakesMs = 60_000;

const isOneOf = `l.chain = u.chain AND l.subject = u.subject AND (u.direction = '' OR split_part(l.direction, ' ', 1) = u.direction)`;

async function strikeOut(tx: Queryable, subjects: readonly Subject[]): Promise<void> {
  const values = [subjects.map(({ chain }) => chain), subjects.map(({ subject }) => subject), subjects.map(({ direction }) => direction)];
  const given = 'unnest($1::text[], $2::text[], $3::text[]) AS u(chain, subject, direction)';
  // Lookups first, in the order of `complete`: a result completed meanwhile is then stored and deleted below, or dropped.
  await tx.query(
    prepared(`UPDATE scoring.lookups SET owner = NULL, task_id = NULL, round = round + 1 WHERE lookup_id IN (
       SELECT l.lookup_id FROM scoring.lookups l JOIN ${given} ON ${isOneOf} AND NOT l.is_shadow ORDER BY l.chain, l.subject, l.direction FOR UPDATE OF l)`),
    values,
  );
  await tx.query(prepared(`DELETE FROM scoring.results l USING ${given} WHERE ${isOneOf}`), values);
  await tx.query(
    prepared(`INSERT INTO scoring.rescreens AS r (chain, subject, direction, since_ms)
     SELECT u.chain, u.subject, u.direction, u.since_ms FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[]) AS u(chain, subject, direction, since_ms)
     ORDER BY 1, 2, 3
     ON CONFLICT (chain, subject, direction) DO UPDATE SET before_ms = NULL, before_id = NULL, since_ms = least(r.since_ms, excluded.since_ms)`),
    [...values, subjects.map(({ sinceMs }) => String(sinceMs))],
  );
}

/** Longer than any valid subject. */
const longestSubject = 256;

/** Each subject once, in the form that transfers use. Subjects that no request can name are left out. */
function subjectsOf(changes: readonly ScoreChange[]): Subject[] {
  const subjects = changes.map(({ chain, subject_type, subject, direction, cause, changed_at }): Subject => {
    const sinceMs = cause === 'label' ? 0 : changed_at * 1_000 - tellingTakesMs;
    const known = chains.find((one) => one === chain);
    if (known === undefined) return { chain, subject, direction: '', sinceMs };
    if (subject_type === 'address') return { chain, subject: parseAddress(known, subject) ?? subject, direction: '', sinceMs };
    return { chain, subject: parseTxid(known, subject) ?? subject, direction, sinceMs };
  });
  const usable = subjects.filter(({ chain, subject }) =>
    [chain, subject].every((text) => text.length <= longestSubject && !text.includes('\0')),
  );
  const bySubject = Map.groupBy(usable, ({ chain, subject, direction }) => `${chain}\n${subject}\n${direction}`);
  return [...bySubject.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, sinceMs: Math.min(first.sinceMs, ...others.map(({ sinceMs }) => sinceMs)) }],
  );
}
