import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { type Callers, admission, type Operation, operation, problem, readers, exportOperation, exportRows } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { subjectLength } from '../migrations.ts';
import { time } from '../parameters.ts';
import { findAddress } from './addresses.ts';
import { exampleAddress, exampleStatistics, exampleUser } from './examples.ts';
import { type Range, readStatistics } from './statistics.ts';
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
      const given = rangeOf(c, query, clock);
      if (given instanceof Response) return given;
      c.header('cache-control', 'no-store');
      return c.json(await readStatistics(db, given));
    },
  });
  const tableOf = (name: 'days' | 'held_by', list: string, what: string): Operation => {
    const columns = Object.keys(statisticsView.shape[name].element.shape);
    return exportOperation({
      list,
      what,
      tag: 'history',
      admission: admission(access, readers),
      query: range,
      example: columns.join(','),
      read: async (c, query) => {
        const given = rangeOf(c, query, clock);
        return given instanceof Response ? given : exportRows(columns, (await readStatistics(db, given))[name]);
      },
    });
  };
  const days = tableOf('days', 'statistics', 'days that have screenings, with count and value');
  const rules = tableOf('held_by', 'held-by', "rules that held, with the decisions of people; an empty rule is the policy's table");
  return [user, address, statistics, days, rules];
}

/** A response: the range is refused. */
function rangeOf(c: Context, query: z.output<typeof range>, clock: Clock): Range | Response {
  const until = query.until ?? new Date(clock.now());
  const since = query.since ?? new Date(Math.floor((until.getTime() - defaultDays * dayMs) / hourMs) * hourMs);
  if (since > until) return problem(c, 400, 'INVALID_SINCE', 'since must not be after until', { field: 'since' });
  if (until.getTime() - since.getTime() > maxDays * dayMs) {
    return problem(c, 400, 'INVALID_SINCE', `since must be at most ${maxDays} days before until`, { field: 'since' });
  }
  return { since, until, isUntilNow: query.until === undefined };
}

function isStorable(text: string): boolean {
  return text.length <= subjectLength && text.isWellFormed() && !text.includes('\0');
}
