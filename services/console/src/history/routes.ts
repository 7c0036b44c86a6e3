import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { type Callers, admission, type Operation, operation, problem, readers } from '@weir/service-kit';
import { z } from 'zod';
import { subjectLength } from '../migrations.ts';
import { time } from '../parameters.ts';
import { exampleStatistics, exampleUser } from './examples.ts';
import { readStatistics } from './statistics.ts';
import { findUser } from './users.ts';
import { statisticsView, userView } from './view.ts';

const dayMs = 86_400_000;
/** Each screening of the time is read. */
const maxDays = 31;
const defaultDays = 7;

const range = z.object({
  since: time.optional().meta({ description: `Requested at this time (RFC 3339) or later. Left out: ${defaultDays} days before until.` }),
  until: time.optional().meta({ description: 'Requested before this time (RFC 3339). Left out: now.' }),
});

export interface HistoryApiOptions {
  readonly db: Queryable;
  readonly access: Callers;
  readonly clock: Clock;
}

/** Operations that sum up screenings. */
export function historyOperations({ db, access, clock }: HistoryApiOptions): readonly Operation[] {
  const user = operation({
    name: 'get_user',
    method: 'GET',
    path: '/v1/users/{user_id}',
    tag: 'history',
    summary: 'Sums up the transfers of one of your customers.',
    admission: admission(access, readers),
    segments: z.object({ user_id: z.string().meta({ description: 'As in your transfers.', example: exampleUser.user_id }) }),
    answers: [{ status: 200, description: 'The customer.', schema: userView, example: exampleUser }],
    problems: { NOT_FOUND: [404, 'There is no screening of this user.'] },
    respond: async (c) => {
      const id = c.req.param('user_id') ?? '';
      const found = id.length > subjectLength || id.includes('\0') ? undefined : await findUser(db, id);
      if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no screening of this user');
      c.header('cache-control', 'no-store');
      return c.json(found);
    },
  });
  const statistics = operation({
    name: 'get_statistics',
    method: 'GET',
    path: '/v1/statistics',
    tag: 'history',
    summary: `Counts screenings of at most ${maxDays} days, with holds and the false positives of each rule.`,
    admission: admission(access, readers),
    query: range,
    answers: [{ status: 200, description: 'Largest groups first, days in order.', schema: statisticsView, example: exampleStatistics }],
    respond: async (c, { query }) => {
      const until = query.until ?? new Date(clock.now());
      const since = query.since ?? new Date(until.getTime() - defaultDays * dayMs);
      if (until.getTime() - since.getTime() > maxDays * dayMs) {
        return problem(c, 400, 'INVALID_SINCE', `since must be at most ${maxDays} days before until`, { field: 'since' });
      }
      c.header('cache-control', 'no-store');
      return c.json(await readStatistics(db, { since, until }));
    },
  });
  return [user, statistics];
}
