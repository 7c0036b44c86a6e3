import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { accessMigrations } from '@weir/service-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleMigrations } from '../../../services/console/src/migrations.ts';
import type { Kind } from '@weir/contracts';
import { decided, requested, scored } from '../../../services/console/src/events.testing.ts';
import { project } from '../../../services/console/src/project.ts';
import { rollupGaps } from '../../../services/console/src/rollups.ts';
import { type ScreeningEvent, type ScreeningUpdate, screeningUpdateOf } from '../../../services/console/src/screening-update.ts';
import { drawSample, type HistoryConsole, openHistoryConsole } from './console.ts';
import { seededRandom } from '../../support/stack/random.ts';
import { fillScreenings, known, since, until } from './fill.ts';
import { explainAll, recordStatements, type RecordingPool } from './plans.ts';
import { historyQueries } from './queries.ts';

const size = 20_000;
/** A page reads 2,000 rows where it checks each, once more for their end, and 501 of each filter to find a rare one. */
const mostRows = 6_000;

const sides = "s.request -> 'transfer' ->> 'from_address', s.request -> 'transfer' ->> 'to_address'";
const adverseOrHeld = "(s.action = 'review' OR console.adverse_update(s.action, s.revision, s.decisions, s.result))";

let db: TestDatabase;
let recording: RecordingPool;
let opened: HistoryConsole;
beforeAll(async () => {
  db = await createTestDatabase();
  await migrate(db.pool, 'access', accessMigrations);
  await migrate(db.pool, 'console', consoleMigrations);
  await fillScreenings(db.pool, size, () => undefined);
  recording = recordStatements(db.pool);
  opened = await openHistoryConsole(db.pool, recording.pool);
});
afterAll(() => db?.drop());

test('every list, sum and statistic reads few rows, and by indexes', async () => {
  const tooMuch: unknown[] = [];
  for (const query of historyQueries(await drawSample(db.pool))) {
    const path = await opened.pathOf(query);
    recording.taken();
    await opened.get(path);
    const { rows, nodes } = await explainAll(db.pool, recording.taken());
    const scans = [...nodes.keys()].filter((name) => /(?:Seq Scan|Bitmap Heap Scan) (?!rollups)/.test(name));
    if (rows > mostRows || scans.length > 0) tooMuch.push([query.name, rows, scans]);
  }
  expect(tooMuch).toEqual([]);
});

test('filled rows are as the projection writes them, and sums as its triggers add them up', async () => {
  expect((await db.pool.query(rollupGaps)).rows).toEqual([]);
  const select = `SELECT screening_id, requested_at, request, request_rank, result, paths, result_rank, decisions, revision, action, kind, level, subject
    FROM console.screenings`;
  const { rows: filled } = await db.pool.query<Filled>(
    `${select} WHERE hashtext(screening_id::text) % 40 = 0 OR revision > 1 ORDER BY screening_id`,
  );
  const projected = await createTestDatabase();
  try {
    await migrate(projected.pool, 'console', consoleMigrations);
    for (const row of filled) {
      const { screening_id, requested_at, request, request_rank, result, result_rank, decisions } = row;
      const shared = {
        screeningId: screening_id,
        requestedAt: requested_at.toISOString(),
        request,
        requestRank: BigInt(request_rank),
        paths: null,
      };
      const facts = Object.values(decisions).map((decision) => ({ ...shared, result, resultRank: BigInt(result_rank), decision }));
      await project(projected.pool, facts, { dueMs: 0 });
    }
    expect((await projected.pool.query(`${select} ORDER BY screening_id`)).rows).toEqual(filled);
    expect((await projected.pool.query(rollupGaps)).rows).toEqual([]);
  } finally {
    await projected.drop();
  }
  // Their parts have the fields that events give them.
  const like = (kind: Kind): Filled => filled.find((row) => row.kind === kind && row.result?.risk_level !== undefined) as Filled;
  for (const kind of ['deposit', 'withdrawal'] as const) {
    const { request, result, decisions } = like(kind);
    const updates = [requested(kind, 1), scored(kind, 1), decided(kind, 1)].map((event) => screeningUpdateOf(event as ScreeningEvent));
    expect(Object.keys(request).toSorted()).toEqual(Object.keys(updates[0]?.request ?? {}).toSorted());
    expect(Object.keys(request.transfer).toSorted()).toEqual(Object.keys(updates[0]?.request.transfer ?? {}).toSorted());
    expect(Object.keys(result ?? {}).toSorted()).toEqual(Object.keys(updates[1]?.result ?? {}).toSorted());
    expect(Object.keys(result?.risk_detail[0] ?? {}).toSorted()).toEqual(Object.keys(updates[1]?.result?.risk_detail[0] ?? {}).toSorted());
    expect(Object.keys(decisions[1] ?? {}).toSorted()).toEqual(Object.keys(updates[2]?.decision ?? {}).toSorted());
  }
});

interface Filled extends Record<string, unknown> {
  readonly screening_id: string;
  readonly requested_at: Date;
  readonly request: ScreeningUpdate['request'];
  readonly request_rank: string;
  readonly result: ScreeningUpdate['result'];
  readonly result_rank: string;
  readonly decisions: Readonly<Record<string, ScreeningUpdate['decision']>>;
  readonly kind: Kind;
}

test('where no index answers a filter, short pages lead to every match', async () => {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT screening_id AS id FROM console.screenings WHERE request -> 'transfer' ->> 'chain' = 'dogecoin'
       OR decisions -> revision::text -> 'reason_codes' ? '${known.rareReason}' ORDER BY requested_at DESC`,
  );
  const found: string[] = [];
  for (const filter of ['chain=dogecoin', `reason=${known.rareReason}`]) {
    let pages = 0;
    let cursor = '';
    do {
      const page = (await opened.get(`/v1/screenings?${filter}&cursor=${cursor}`)) as {
        items: { screening_id: string }[];
        next_cursor: string | null;
      };
      found.push(...page.items.map(({ screening_id: id }) => id));
      cursor = page.next_cursor ?? '';
      pages += 1;
    } while (cursor !== '');
    // The last row read is the last row, which only a further page tells.
    expect([filter, pages]).toEqual([filter, size / 2_000 + 1]);
  }
  expect(rows).toHaveLength(2);
  expect(found.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
});

test.each([
  ['/v1/screenings', '', 'true'],
  ['/v1/screenings', 'level=Moderate&kind=deposit', "s.level = 'Moderate' AND s.kind = 'deposit'"],
  ['/v1/screenings', `user_id=${known.hotUser}`, `s.request -> 'transfer' ->> 'user_id' = '${known.hotUser}'`],
  ['/v1/screenings', `address=${known.hotAddress}`, `'${known.hotAddress}' IN (${sides})`],
  [
    '/v1/screenings',
    'chain=bitcoin&max_usd=1000',
    "s.request -> 'transfer' ->> 'chain' = 'bitcoin' AND (s.request -> 'transfer' ->> 'usd_value')::numeric <= 1000",
  ],
  ['/v1/screenings', 'min_usd=100&max_usd=1000', "(s.request -> 'transfer' ->> 'usd_value')::numeric BETWEEN 100 AND 1000"],
  ['/v1/reviews', '', adverseOrHeld],
  ['/v1/reviews', 'coin=ETH', `${adverseOrHeld} AND s.request -> 'transfer' ->> 'coin' = 'ETH'`],
])('%s?%s is listed by value to the end, unknown values last', async (path, filter, condition) => {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT s.screening_id AS id FROM console.screenings s WHERE ${condition}
     ORDER BY (s.request -> 'transfer' ->> 'usd_value')::numeric DESC NULLS LAST, s.screening_id DESC`,
  );
  expect(rows.length).toBeGreaterThan(5);
  const found: string[] = [];
  let cursor = '';
  do {
    const page = (await opened.get(`${path}?sort=value&limit=197&${filter}&cursor=${cursor}`)) as {
      items: { screening_id: string }[];
      next_cursor: string | null;
    };
    found.push(...page.items.map(({ screening_id: id }) => id));
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  expect(found).toEqual(rows.map(({ id }) => id));
});

test('many reviews are listed by due time, then those without one by time of request, to the end', async () => {
  await db.pool.query(
    `WITH held AS (
       UPDATE console.screenings SET action = 'review', revision = 1, decisions = jsonb_set(decisions, '{1,action}', '"review"') - '2'
       WHERE screening_id IN (SELECT screening_id FROM console.screenings WHERE action = 'allow' ORDER BY screening_id LIMIT 1500)
       RETURNING screening_id, requested_at)
     INSERT INTO console.reviews (screening_id, due_at)
     SELECT screening_id, requested_at + make_interval(hours => abs(hashtext(screening_id::text)) % 400) FROM held
     WHERE hashtext(screening_id::text) % 3 <> 0 ON CONFLICT DO NOTHING`,
  );
  for (const condition of ['', 'chain=bitcoin', 'kind=withdrawal']) {
    const { rows } = await db.pool.query<{ id: string }>(
      `SELECT s.screening_id AS id FROM console.screenings s LEFT JOIN console.reviews r ON r.screening_id = s.screening_id
       WHERE (s.action = 'review' OR console.adverse_update(s.action, s.revision, s.decisions, s.result))
         AND CASE '${condition}' WHEN 'chain=bitcoin' THEN s.request -> 'transfer' ->> 'chain' = 'bitcoin' WHEN 'kind=withdrawal' THEN s.kind = 'withdrawal' ELSE true END
       ORDER BY r.due_at NULLS LAST, CASE WHEN r.due_at IS NULL THEN s.requested_at END, s.screening_id`,
    );
    const found: string[] = [];
    let cursor = '';
    do {
      const page = (await opened.get(
        `/v1/reviews?sort=due&limit=97&${condition}&cursor=${cursor}`.replace('&&', '&').replace(/&cursor=$/, ''),
      )) as {
        items: { screening_id: string }[];
        next_cursor: string | null;
      };
      found.push(...page.items.map(({ screening_id: id }) => id));
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(found).toEqual(rows.map(({ id }) => id));
  }
});

test('statistics of any range count what the screenings of that time do', async () => {
  const seed = 7;
  const random = seededRandom(seed);
  const anywhere = (): number => since + Math.floor(random() * (until - since));
  const lengths = [1_000, 1_800_000, 3_600_000, 50_000_000, 86_400_000, 1_000_000_000, 2_600_000_000];
  for (const length of lengths.flatMap((each) => [each, each, each])) {
    const from = random() < 0.3 ? Math.floor(anywhere() / 3_600_000) * 3_600_000 : anywhere();
    const [a, b] = [new Date(from).toISOString(), new Date(from + length).toISOString()];
    const { rows } = await db.pool.query<{ count: number }>(
      `SELECT to_char(requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*)::int AS count,
         trim_scale(sum(console.usd(request -> 'transfer' ->> 'usd_value')))::text AS usd,
         (count(*) FILTER (WHERE request -> 'transfer' ->> 'usd_value' IS NULL))::int AS unknown_usd,
         ${['allow', 'review', 'block'].map((action) => `(count(*) FILTER (WHERE action = '${action}'))::int AS ${action}`).join(', ')},
         (count(*) FILTER (WHERE action IS NULL))::int AS undecided
       FROM console.screenings WHERE requested_at >= $1 AND requested_at < $2 GROUP BY 1 ORDER BY 1`,
      [a, b],
    );
    const found = (await opened.get(`/v1/statistics?since=${a}&until=${b}`)) as { days: unknown[]; levels: { count: number }[] };
    expect({ seed, a, b, days: found.days }).toEqual({ seed, a, b, days: rows });
    expect(found.levels.reduce((sum, { count }) => sum + count, 0)).toBe(rows.reduce((sum, { count }) => sum + count, 0));
  }
});
