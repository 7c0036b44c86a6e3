import { chains, parseAddress, parseTxid } from '@weir/chains';
import { advisoryLock, prepared, type Pool, type Queryable, transaction } from '@weir/postgres';
import type { ScoreChange } from '@weir/risk-client';

/** Whoever waits for the lock holds up all that come after: should a replica stand still with it, it is let go and tried again. */
const lockTimeoutMs = 2_000;

/** One page of a feed, as it was read after `after`. */
export interface Page {
  readonly feed: string;
  /** Null: where the feed was begun. */
  readonly after: string | null;
  readonly changes: readonly ScoreChange[];
  readonly nextCursor: string;
  /** Nothing comes behind it now. */
  readonly isLast: boolean;
}

/**
 * Takes in that scores have changed, in one transaction: what is known of them is struck out, questions under way begin anew, and their screenings are put
 * down to be asked for again. False when somebody else has read on from there: then nothing was done.
 */
export async function noteChanges(pool: Pool, page: Page): Promise<boolean> {
  const subjects = subjectsOf(page.changes);
  const note = async (tx: Queryable): Promise<boolean> => {
    // Whoever has found the old result has told of it once this is had, and is found among the answered.
    if (subjects.length > 0) await tx.query(prepared(`SELECT ${advisoryLock('scoring-results')}`));
    const { rowCount } = await tx.query(
      prepared(`UPDATE scoring.feeds SET cursor = $3, is_absent = false, caught_up_at = CASE WHEN $4 THEN now() ELSE caught_up_at END
       WHERE feed = $1 AND cursor IS NOT DISTINCT FROM $2`),
      [page.feed, page.after, page.nextCursor, page.isLast],
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
  /** Empty: any. An address is scored the same both ways. */
  readonly direction: string;
  /** Screenings requested before (Unix ms) keep their result. */
  readonly sinceMs: number;
}

/**
 * A new transfer leaves earlier results right as of their time, so only what may have been answered between the transfer's import and its being told is
 * screened again. Telling takes seconds.
 */
const tellingTakesMs = 60_000;

const isOneOf = `l.chain = u.chain AND l.subject = u.subject AND (u.direction = '' OR l.direction = u.direction)`;

async function strikeOut(tx: Queryable, subjects: readonly Subject[]): Promise<void> {
  const values = [subjects.map(({ chain }) => chain), subjects.map(({ subject }) => subject), subjects.map(({ direction }) => direction)];
  const given = 'unnest($1::text[], $2::text[], $3::text[]) AS u(chain, subject, direction)';
  // First these, as whoever completes one does: what they keep of it stands among the results by then, or is not kept.
  await tx.query(
    prepared(`UPDATE scoring.lookups SET owner = NULL, task_id = NULL, round = round + 1 WHERE lookup_id IN (
       SELECT l.lookup_id FROM scoring.lookups l JOIN ${given} ON ${isOneOf} ORDER BY l.chain, l.subject, l.direction FOR UPDATE OF l)`),
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

/** Longer than any subject that is asked about. */
const longestSubject = 256;

/** Each subject once, as transfers name them. What could never have been asked is left out: nothing here has it. */
function subjectsOf(changes: readonly ScoreChange[]): Subject[] {
  const subjects = changes.map(({ chain, subjectType, subject, direction, cause, changedAt }): Subject => {
    const sinceMs = cause === 'label' ? 0 : changedAt * 1_000 - tellingTakesMs;
    const known = chains.find((one) => one === chain);
    if (known === undefined) return { chain, subject, direction: '', sinceMs };
    if (subjectType === 'address') return { chain, subject: parseAddress(known, subject) ?? subject, direction: '', sinceMs };
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
