import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { type Callers, admission, type Operation, operation, problem, readers } from '@weir/service-kit';
import { z } from 'zod';
import { subjectLength } from '../migrations.ts';
import { time } from '../parameters.ts';
import { findAddress } from './addresses.ts';
import { exampleAddress, exampleStatistics, exampleUser } from './examples.ts';
import { readStatistics } from './statistics.ts';
import { findUser } from './users.ts';
import { addressView, statisticsView, userView } from './view.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const maxDays = 31;
const defaultDays = 7;

const range = z.object({
  since: time
    .optional()
    .meta({ description: `Requested at this time (RFC 3339) or later. Left out: the hour ${defaultDays} days before until.` }),
  until: time.optional().meta({ description: 'Requested before this time (RFC 3339). Left out: now.' }),
});

export interface HistoryApiOptions {
  readonly db: Pool;
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
      const found = isStorable(id) ? await findUser(db, id) : undefined;
      if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no screening of this user');
      c.header('cache-control', 'no-store');
      return c.json(found);
    },
  });
  const address = operation({
    name: 'get_address',
    method: 'GET',
    path: '/v1/addresses/{address}',
    tag: 'history',
    summary: 'Sums up the transfers with an address on either side, and their results over time.',
    description: 'Of the newest 1,000 transfers. `GET /v1/screenings?address=` lists all.',
    admission: admission(access, readers),
    segments: z.object({ address: z.string().meta({ description: 'In any form of its chain.', example: exampleAddress.address }) }),
    answers: [{ status: 200, description: 'The address.', schema: addressView, example: exampleAddress }],
    problems: { NOT_FOUND: [404, 'There is no screening with this address.'] },
    respond: async (c) => {
      const text = c.req.param('address') ?? '';
      const found = isStorable(text) ? await findAddress(db, text) : undefined;
      if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no screening with this address');
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
    description: 'Times of holds are right to a fifth where there are many.',
    admission: admission(access, readers),
    query: range,
    answers: [{ status: 200, description: 'Largest groups first, days in order.', schema: statisticsView, example: exampleStatistics }],
    respond: async (c, { query }) => {
      const until = query.until ?? new Date(clock.now());
      const since = query.since ?? new Date(Math.floor((until.getTime() - defaultDays * dayMs) / hourMs) * hourMs);
      if (since > until) return problem(c, 400, 'INVALID_SINCE', 'since must not be after until', { field: 'since' });
      if (until.getTime() - since.getTime() > maxDays * dayMs) {
        return problem(c, 400, 'INVALID_SINCE', `since must be at most ${maxDays} days before until`, { field: 'since' });
      }
      c.header('cache-control', 'no-store');
      return c.json(await readStatistics(db, { since, until, isUntilNow: query.until === undefined }));
    },
  });
  return [user, address, statistics];
}

function isStorable(text: string): boolean {
  return text.length <= subjectLength && text.isWellFormed() && !text.includes('\0');
}
