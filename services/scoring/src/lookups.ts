import type { Direction, Lane, ReasonCode, SubjectType } from '@weir/contracts';
import { type Claimed, type Pool, prepared } from '@weir/postgres';
import { lanes } from '@weir/rate-budget';
import type { TransferFacts } from '@weir/risk-provider';
import { isTracing } from '@weir/tracing';
import { lookupDelayMs, type Result } from './result.ts';

/** The place of each lane in `lanes` of @weir/rate-budget. */
export const laneNumber: Readonly<Record<Lane, number>> = { withdrawal: 0, deposit: 1, rescreen: 2 };

export const lookups = { name: 'scoring.lookups', key: 'lookup_id', keyType: 'int8', lockOrder: 'chain, subject, direction' } as const;

/** One question to the risk API, claimed by this process. */
export interface Lookup extends Claimed {
  readonly id: bigint;
  readonly chain: string;
  readonly subject: string;
  readonly subject_type: SubjectType;
  readonly direction: Direction;
  readonly coin: string;
  /** The most urgent lane that waits for it. */
  lane: Lane;
  token_id: string | null;
  readonly tries: number;
  readonly facts: TransferFacts;
  /** A running task that an earlier owner created. */
  readonly task_id: string | null;
  readonly is_fallback_task: boolean;
  /** Some of the screenings that wait for it; only when tracing is on. */
  readonly screening_ids?: readonly string[];
  /** Counts score changes: an answer asked for in an earlier round is void. */
  readonly round: number;
}

export interface Finished {
  readonly lookup: Lookup;
  readonly result: Result;
  /** Unix ms; null when the result is not kept. */
  readonly expiresAt: number | null;
}

export interface ClaimOptions {
  readonly owner: string;
  readonly isShadow: boolean;
  /** Most lookups per lane. */
  readonly room: Readonly<Record<Lane, number>>;
  /** Tokens that have spent their share. */
  readonly spent: readonly string[];
}

const claiming = `UPDATE scoring.lookups SET owner = $1 WHERE lookup_id IN (
   SELECT due.lookup_id FROM unnest($2::smallint[], $3::int[]) AS want(lane, room) CROSS JOIN LATERAL (
     SELECT l.lookup_id FROM scoring.lookups l WHERE l.owner IS NULL AND l.lane = want.lane AND l.next_at <= now() AND l.is_shadow = $6
       AND (want.lane = $4 OR l.token_id IS NULL OR l.token_id <> ALL($5::text[]))
     ORDER BY l.next_at, l.lookup_id LIMIT want.room FOR UPDATE SKIP LOCKED) AS due)
 RETURNING lookup_id AS id, chain, subject, subject_type, split_part(direction, ' ', 1) AS direction, coin, lane, token_id, tries, facts,
   task_id, is_fallback_task, round`;
const waitingFor = `ARRAY(SELECT s.screening_id::text FROM scoring.screenings s WHERE s.lookup_id = lookups.lookup_id AND s.state <> 'answered' LIMIT 16) AS screening_ids`;

/** Claims due lookups without owner. Replicas skip rows that another is claiming. */
export async function claim(pool: Pool, { owner, isShadow, room, spent }: ClaimOptions): Promise<Lookup[]> {
  const { rows } = await pool.query<Omit<Lookup, 'lane' | 'owner'> & { lane: number }>(
    prepared(isTracing() ? `${claiming}, ${waitingFor}` : claiming),
    [owner, lanes.map((lane) => laneNumber[lane]), lanes.map((lane) => Math.max(room[lane], 0)), laneNumber.rescreen, spent, isShadow],
  );
  const claimed = rows.map((row) => ({ ...row, lane: lanes[row.lane] ?? 'rescreen', owner }));
  return claimed.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Present lane and token of these lookups, without those that another process owns or whose round is over. */
export async function lanesOf(pool: Pool, queued: readonly Lookup[]): Promise<Map<bigint, Pick<Lookup, 'lane' | 'token_id'>>> {
  const { rows } = await pool.query<{ lookup_id: bigint; lane: number; token_id: string | null }>(
    prepared(`SELECT l.lookup_id, l.lane, l.token_id FROM scoring.lookups l JOIN unnest($1::int8[], $2::text[], $3::int[]) AS u(id, owner, round)
       ON l.lookup_id = u.id AND l.owner = u.owner AND l.round = u.round`),
    [queued.map(({ id }) => String(id)), queued.map(({ owner }) => owner), queued.map(({ round }) => round)],
  );
  return new Map(rows.map((row) => [row.lookup_id, { lane: lanes[row.lane] ?? 'rescreen', token_id: row.token_id }]));
}

const moveAtOnce = 1_000;

/**
 * Moves lookups of tokens that have spent their share into the rescreen lane. If another token's request waits too, the lookup stays in
 * that request's lane and that token pays. Returns the number moved, by the lane they left.
 */
export async function moveSpent(pool: Pool, spent: readonly string[]): Promise<Map<Lane, number>> {
  const moved = new Map<Lane, number>();
  for (let count = spent.length === 0 ? 0 : moveAtOnce; count === moveAtOnce; ) {
    const { rows } = await pool.query<{ before: number; is_moved: boolean }>(
      prepared(`UPDATE scoring.lookups l SET lane = coalesce(other.lane, $2), token_id = CASE WHEN other.lane IS NULL THEN l.token_id ELSE other.token_id END
       FROM (SELECT lookup_id, lane FROM scoring.lookups WHERE lane <> $2 AND token_id = ANY($1::text[])
         ORDER BY chain, subject, direction LIMIT ${moveAtOnce} FOR UPDATE SKIP LOCKED) AS own
       LEFT JOIN LATERAL (SELECT CASE s.request ->> 'lane' WHEN 'withdrawal' THEN 0 ELSE 1 END::smallint AS lane, s.request ->> 'token_id' AS token_id
         FROM scoring.screenings s WHERE s.lookup_id = own.lookup_id AND s.state = 'waiting' AND s.request ->> 'lane' <> 'rescreen'
           AND coalesce(s.request ->> 'token_id', '') <> ALL($1::text[]) ORDER BY 1 LIMIT 1) AS other ON true
       WHERE l.lookup_id = own.lookup_id RETURNING own.lane AS before, other.lane IS NULL AS is_moved`),
      [spent, laneNumber.rescreen],
    );
    count = rows.length;
    for (const { before, is_moved } of rows) {
      const lane = lanes[before] ?? 'rescreen';
      if (is_moved) moved.set(lane, (moved.get(lane) ?? 0) + 1);
    }
  }
  return moved;
}

/** Stores the task, so a restart queries it instead of creating another. */
export async function saveTask(pool: Pool, lookup: Lookup, taskId: string, { isFallback }: { isFallback: boolean }): Promise<void> {
  await pool.query(
    prepared('UPDATE scoring.lookups SET task_id = $4, is_fallback_task = $5 WHERE lookup_id = $1 AND owner = $2 AND round = $3'),
    [lookup.id, lookup.owner, lookup.round, taskId, isFallback],
  );
}

/** Records why a lookup has no answer yet; a hold at the deadline names it. */
export async function recordError(pool: Pool, lookup: Lookup, lastError: ReasonCode): Promise<void> {
  await pool.query(prepared('UPDATE scoring.lookups SET last_error = $4 WHERE lookup_id = $1 AND owner = $2 AND round = $3'), [
    lookup.id,
    lookup.owner,
    lookup.round,
    lastError,
  ]);
}

export interface Release {
  readonly lastError: ReasonCode | null;
  /** The task is still valid: the next owner follows it. */
  readonly keepTask: boolean;
  /** Until it is due again; left out after a failure, for which the delay grows. */
  readonly delayMs?: number;
}

/**
 * Releases a lookup for now. When no request waits for it before a deadline it moves to the rescreen lane, which may use a tenth of the
 * day: lookups that never succeed must not use the others' share.
 */
export async function release(pool: Pool, lookup: Lookup, options: Release): Promise<void> {
  const tries = lookup.tries + Number(options.delayMs === undefined);
  await pool.query(
    prepared(`UPDATE scoring.lookups l SET owner = NULL, task_id = CASE WHEN $7 THEN task_id END, tries = $3, last_error = coalesce($4, last_error),
       lane = CASE WHEN w.hoped_for THEN lane ELSE $8 END,
       next_at = now() + interval '1 millisecond' * CASE WHEN w.hoped_for THEN $5::float8 ELSE $6::float8 END
     FROM (SELECT EXISTS (SELECT FROM scoring.screenings WHERE lookup_id = $1 AND state = 'waiting') AS hoped_for) AS w
     WHERE l.lookup_id = $1 AND l.owner = $2 AND l.round = $9`),
    [
      lookup.id,
      lookup.owner,
      tries,
      options.lastError,
      options.delayMs ?? lookupDelayMs(tries, false),
      options.delayMs ?? lookupDelayMs(tries, true),
      options.keepTask,
      laneNumber.rescreen,
      lookup.round,
    ],
  );
}
