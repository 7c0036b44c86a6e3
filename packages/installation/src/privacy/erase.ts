import { randomUUID } from 'node:crypto';
import { eraseEntries, erasureActs, type ErasureCause } from '@weir/audit-writer';
import { parseRanges } from '@weir/audit-log';
import type { Clock } from '@weir/clock';
import { eraseShown } from '@weir/console';
import { eraseDecided } from '@weir/decision';
import { eraseTransfers } from '@weir/intake';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { eraseScored } from '@weir/scoring';
import { eraseActivities, eraseEvents, recordActivity, UnreadEventsError } from '@weir/service-kit';
import { eraseWithdrawals } from '@weir/withdrawal-gate';
import { type Erasable, findErasable } from './subject.ts';

/** The act is stored, and audit-writer has not written it to the log. Running the same again goes on. */
class ActUnrecordedError extends Error {
  readonly code = 'ACT_UNRECORDED';
  readonly retriable = true;
}

export interface Erasing {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long the log may take to get the act. */
  readonly waitMs: number;
}

export interface Erased {
  readonly screenings: number;
  readonly entries: number;
}

/** Events may be on their way to the log when the first act is made. */
const mostRounds = 5;
const pollMs = 250;
/** Rows of a large customer take long. */
const statementTimeoutMs = 3_600_000;

/**
 * Erases all that is kept of these screenings. An act that names the entries of the audit log is in that log before they are erased. Each
 * round is one transaction, so an interruption leaves all or nothing of it. Rejects with `ActUnrecordedError` or `UnreadEventsError`.
 */
export async function eraseScreenings(
  of: Erasing,
  { erasureId, cause, screenings }: { readonly erasureId: string; readonly cause: ErasureCause; readonly screenings: readonly string[] },
): Promise<Erased> {
  let entries = 0;
  for (let round = 1; ; round += 1) {
    const erasable = await findErasable(of.pool, screenings);
    if (round > 1 && erasable.entries.length === 0) return { screenings: screenings.length, entries };
    if (round > mostRounds) throw new ActUnrecordedError('events of these transfers keep coming; try again');
    const acts = await recordActs(of, erasureId, cause, erasable);
    await untilRecorded(of, acts);
    await onceRead(of, () => transaction(of.pool, (tx) => eraseRows(tx, erasable, acts), { statementTimeoutMs }));
    entries += erasable.entries.length;
  }
}

interface Act {
  readonly id: string;
  readonly indexes: readonly number[];
}

/** Stores acts for what no earlier act of this erasure names, which an interruption has left. */
async function recordActs({ pool, clock }: Erasing, erasureId: string, cause: ErasureCause, { entries }: Erasable): Promise<Act[]> {
  return transaction(pool, async (tx) => {
    const acts = await findActs(tx, erasureId, entries);
    const named = new Set(acts.flatMap(({ indexes }) => indexes));
    const rest = entries.map(({ index }) => index).filter((index) => !named.has(index));
    for (const { activity, indexes } of erasureActs({ erasureId, cause, at: clock.now() }, rest, randomUUID)) {
      await recordActivity(tx, activity);
      acts.push({ id: activity.id, indexes });
    }
    return acts;
  });
}

/** Acts of this erasure that name entries which are still there. */
async function findActs(tx: Queryable, erasureId: string, entries: Erasable['entries']): Promise<Act[]> {
  const { rows } = await tx.query<{ id: string; entries: string }>(
    `SELECT activity_id AS id, d ->> 'value' AS entries FROM access.activities CROSS JOIN LATERAL jsonb_array_elements(details) AS d
     WHERE subject = $1 AND action = 'personal_data_erased' AND d ->> 'name' = 'entries' ORDER BY number`,
    [erasureId],
  );
  const present = new Set(entries.map(({ index }) => index));
  return rows.flatMap(({ id, entries: text }) => {
    const indexes = indexesOf(text).filter((index) => present.delete(index));
    return indexes.length === 0 ? [] : [{ id, indexes }];
  });
}

function indexesOf(text: string): number[] {
  return (parseRanges(text) ?? []).flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, n) => first + n));
}

async function untilRecorded({ pool, clock, signal, waitMs }: Erasing, acts: readonly Act[]): Promise<void> {
  const ids = acts.map(({ id }) => id);
  const end = clock.monotonic() + waitMs;
  for (;;) {
    const { rows } = await pool.query<{ n: bigint }>(
      `SELECT count(*) AS n FROM audit.entries WHERE event_id = ANY($1::uuid[]) AND topic = 'activities.recorded' AND index < (SELECT size FROM audit.tree)`,
      [ids],
    );
    if (Number(rows[0]?.n) === ids.length) return;
    if (clock.monotonic() > end)
      throw new ActUnrecordedError(
        'the act is stored, and the audit log does not have it yet: console and audit-writer must run; try again then',
      );
    await clock.sleep(pollMs, signal);
    signal.throwIfAborted();
  }
}

/** Groups are often only moments behind. */
async function onceRead({ clock, signal, waitMs }: Erasing, erase: () => Promise<void>): Promise<void> {
  const end = clock.monotonic() + waitMs;
  for (;;) {
    try {
      return await erase();
    } catch (error) {
      if (!(error instanceof UnreadEventsError) || clock.monotonic() > end) throw error;
      await clock.sleep(pollMs, signal);
      signal.throwIfAborted();
    }
  }
}

async function eraseRows(tx: Queryable, erasable: Erasable, acts: readonly Act[]): Promise<void> {
  const { screenings, users, cases, activities, entries, words, keys, depositIds, withdrawalIds } = erasable;
  const eventIds = [...activities, ...entries.map(({ event_id }) => event_id)];
  await eraseEvents(tx, { screenings, eventIds, depositIds, withdrawalIds });
  await eraseShown(tx, { screenings, users, cases, words, keys });
  await eraseScored(tx, screenings);
  await eraseDecided(tx, screenings);
  await eraseWithdrawals(tx, screenings);
  await eraseTransfers(tx, screenings);
  await eraseActivities(tx, activities);
  for (const { id, indexes } of acts) await eraseEntries(tx, { eventId: id, indexes });
}
