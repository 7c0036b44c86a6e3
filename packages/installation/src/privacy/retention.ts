import { eventId } from '@weir/contracts';
import { findExpired } from '@weir/decision';
import type { Pool } from '@weir/postgres';
import type { Jobs } from '@weir/service-kit';
import { findPermitted } from '@weir/withdrawal-gate';
import { type Erased, type Erasing, eraseScreenings } from './erase.ts';
import { findStray } from './stray.ts';
import { findErasable } from './subject.ts';
import { finishErasures, forgetRequests } from './unfinished.ts';

const dayMs = 86_400_000;
/** Screenings erased in one transaction. */
const pageSize = 500;
const finishEveryMs = 600_000;

/** Until `of.signal` aborts: each day erases what has expired, and soon after a start what an interruption or a restore has left. */
export async function keepErasing(of: Erasing, { days, jobs }: { days: number; jobs: Jobs }): Promise<void> {
  const job = { service: 'weir', signal: of.signal };
  await Promise.all([
    jobs.repeat({ ...job, name: 'finish-erasures', everyMs: finishEveryMs, atStart: true }, async () => void (await finishErasures(of))),
    jobs.repeat({ ...job, name: 'erase-expired', everyMs: dayMs }, async () => void (await eraseExpired(of, days))),
  ]);
}

/**
 * Erases screenings whose time of keeping has ended. `days` 0: none. Open cases keep theirs. The id of an erasure follows from its first
 * screening, so the run after an interruption goes on with the same act.
 */
export async function eraseExpired(of: Erasing, days: number, onPage: (screenings: number) => void = () => undefined): Promise<Erased> {
  const total = { screenings: 0, entries: 0 };
  if (days === 0) return total;
  const { rows } = await of.pool.query<{ now: Date }>('SELECT date_trunc($1, clock_timestamp()) AS now', ['milliseconds']);
  // The act must not be older than its own limit, by any clock.
  const before = new Date(Math.min(rows[0]?.now.getTime() ?? 0, of.clock.now()) - days * dayMs);
  const found = [findExpired, findStray] as const;
  for (const find of found)
    await eraseFound(of, { days, before }, find, (erased) => {
      total.screenings += erased.screenings;
      total.entries += erased.entries;
      onPage(total.screenings);
    });
  await forgetRequests(of.pool);
  return total;
}

async function eraseFound(
  of: Erasing,
  { days, before }: { days: number; before: Date },
  find: (db: Pool, of: { before: Date; limit: number; after: string | null }) => Promise<string[]>,
  onErased: (erased: Erased) => void,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page: string[] = await find(of.pool, { before, limit: pageSize, after });
    const screenings = await withoutKept(of, page, before);
    const [first] = screenings;
    if (first !== undefined) {
      const cause = { kind: 'retention', days, before } as const;
      onErased(await eraseScreenings(of, { erasureId: eventId('retention', first), cause, screenings }));
    }
    after = page.at(-1) ?? null;
    if (page.length < pageSize) return;
  }
}

/** Without screenings of open cases or permits, and without those with a later event, such as the end of a case. */
async function withoutKept({ pool }: Erasing, page: readonly string[], before: Date): Promise<string[]> {
  const kept = new Set(await findPermitted(pool, page));
  const { rows } = await pool.query<{ screening_id: string }>(
    `SELECT m.screening_id FROM console.case_screenings m JOIN console.cases c ON c.case_id = m.case_id
     WHERE m.screening_id = ANY($1::uuid[]) AND (c.outcome IS NULL OR c.outcome_at >= $2)
     UNION SELECT screening_id FROM audit.entries WHERE screening_id = ANY($1::uuid[]) AND event_time >= $2`,
    [page, before],
  );
  for (const { screening_id } of rows) kept.add(screening_id);
  const rest = page.filter((id) => !kept.has(id));
  if (rest.length === 0) return rest;
  // Acts on their cases may be later still.
  const { activities } = await findErasable(pool, rest);
  const { rows: late } = await pool.query<{ n: bigint }>(
    'SELECT count(*) AS n FROM access.activities WHERE activity_id = ANY($1::uuid[]) AND recorded_at >= $2',
    [activities, before],
  );
  if (Number(late[0]?.n) === 0) return rest;
  const { rows: later } = await pool.query<{ screening_id: string }>(
    `SELECT m.screening_id FROM console.case_screenings m JOIN access.activities a ON a.subject = m.case_id::text
     WHERE m.screening_id = ANY($1::uuid[]) AND a.recorded_at >= $2
     UNION SELECT u.id FROM unnest($1::uuid[]) AS u(id) JOIN access.activities a ON a.subject = u.id::text WHERE a.recorded_at >= $2`,
    [rest, before],
  );
  const isLate = new Set(later.map(({ screening_id }) => screening_id));
  return rest.filter((id) => !isLate.has(id));
}
