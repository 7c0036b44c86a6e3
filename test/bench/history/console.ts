import { ManualClock, systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { Access, createApp, createLogger, createMetrics, storeToken } from '@weir/service-kit';
import { encodeCursor } from '../../../services/console/src/cursor.ts';
import { historyOperations } from '../../../services/console/src/history/routes.ts';
import { reviewOperations } from '../../../services/console/src/reviews/routes.ts';
import { screeningOperations } from '../../../services/console/src/routes.ts';
import { since, until } from './fill.ts';
import type { HistoryQuery, Sample } from './queries.ts';

export interface Answer {
  readonly items?: readonly unknown[];
  readonly next_cursor?: string | null;
}

/** The console's operations that read, over a filled base. */
export interface HistoryConsole {
  get(path: string): Promise<Answer>;
  /** Of the page to read. */
  pathOf(query: HistoryQuery): Promise<string>;
}

export async function openHistoryConsole(owner: Pool, db: Pool): Promise<HistoryConsole> {
  await storeToken(owner, 'bench', 'auditor', 'bench');
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const access = new Access({ db: owner, clock: systemClock, logger, metrics: createMetrics() });
  const parts = { db, access, clock: new ManualClock(until), reviewService: undefined as never };
  const app = createApp(logger, [...screeningOperations(db, access), ...reviewOperations(parts), ...historyOperations(parts)]);
  const get = async (path: string): Promise<Answer> => {
    const answer = await app.request(path, { headers: { authorization: 'Bearer bench' } });
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  return {
    get,
    pathOf: async ({ path, pages = 1 }) => {
      const withCursor = (cursor: string): string => `${path}${path.endsWith('?') ? '' : '&'}cursor=${cursor}`;
      if (pages === 0) {
        const screeningId = '00000000-0000-0000-0000-000000000000';
        return withCursor(
          encodeCursor(path.includes('sort=value') ? { usd: '21', screeningId } : { requestedAt: since + 60_000, screeningId }),
        );
      }
      let at = path;
      for (let page = 1; page < pages; page += 1) {
        const { next_cursor: next } = await get(at);
        if (next == null) return at;
        at = withCursor(next);
      }
      return at;
    },
  };
}

/** Of the middle of the time. */
export async function drawSample(pool: Pool): Promise<Sample> {
  const { rows } = await pool.query<{ address: string; user: string; txid: string }>(
    `SELECT request -> 'transfer' ->> 'to_address' AS address, request -> 'transfer' ->> 'user_id' AS "user", request -> 'transfer' ->> 'txid' AS txid
     FROM console.screenings WHERE requested_at > $1 AND kind = 'deposit' AND request -> 'transfer' ->> 'user_id' <> 'u-hot' ORDER BY requested_at LIMIT 1`,
    [new Date((since + until) / 2)],
  );
  if (rows[0] === undefined) throw new Error('the base is empty');
  return rows[0];
}
