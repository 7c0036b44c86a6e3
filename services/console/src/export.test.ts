import type { ScreeningRequested } from '@weir/contracts';
import { mostExported } from '@weir/service-kit';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decided, requested, scored, type TestEvent } from './events.testing.ts';
import { screeningOperations } from './routes.ts';
import { openTestApi, type TestApi } from './routes.testing.ts';

const formula = '=HYPERLINK("http://evil.example")';

function deposit(n: number, user: string): readonly TestEvent[] {
  const { data } = requested('deposit', n) as { data: ScreeningRequested };
  const transfer = { ...data.transfer, user_id: user };
  return [
    requested('deposit', n, { transfer }),
    scored('deposit', n, { transfer }),
    decided('deposit', n, { transfer, action: n === 2 ? 'review' : 'allow' }),
  ];
}

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi(screeningOperations);
  await api.take([...deposit(1, formula), ...deposit(2, 'a "quoted", name'), ...deposit(3, 'u-3')]);
});
afterAll(() => api.close());

async function read(query = ''): Promise<{ rows: Record<string, string>[]; cut: string | null; type: string | null }> {
  const answer = await api.get(`/v1/exports/screenings${query}`);
  expect(answer.status).toBe(200);
  const { headers } = answer;
  return { rows: parse(await answer.text(), { columns: true }), cut: headers.get('x-weir-cut'), type: headers.get('content-type') };
}

test('what is filtered is exported as CSV, with the latest decision', async () => {
  const { rows, cut, type } = await read();
  expect([type, cut]).toEqual(['text/csv; charset=utf-8', 'false']);
  expect(rows.map(({ source_id: id, user_id: user, action }) => [id, user, action])).toEqual([
    ['deposit-3', 'u-3', 'allow'],
    ['deposit-2', 'a "quoted", name', 'review'],
    ['deposit-1', `'${formula}`, 'allow'],
  ]);
  expect(rows[0]).toMatchObject({
    kind: 'deposit',
    status: 'allowed',
    revision: '1',
    evidence_sha256: '44136f',
  });
  expect((await read('?action=review&sort=oldest')).rows.map(({ source_id: id }) => id)).toEqual(['deposit-2']);
  expect((await read('?user_id=nobody')).rows).toEqual([]);
});

test('more than an export holds is cut, and said so', async () => {
  await api.db.pool.query(
    `INSERT INTO console.screenings (screening_id, requested_at, request, request_rank, result, result_rank, decisions, revision, action)
     SELECT gen_random_uuid(), requested_at - n * interval '1 second', request, request_rank, result, result_rank, decisions, revision, action
     FROM console.screenings, generate_series(1, $1) n WHERE request -> 'transfer' ->> 'user_id' = 'u-3'`,
    [mostExported],
  );
  const { rows, cut } = await read();
  expect([rows.length, cut]).toEqual([mostExported, 'true']);
});

test.each(['cursor=x', 'limit=5', 'nonsense=1', 'min_usd=much'])('%s is refused', async (query) => {
  expect((await api.get(`/v1/exports/screenings?${query}`)).status).toBe(400);
});

test('a machine may not export', async () => {
  expect((await api.get('/v1/exports/screenings', 'token-ingest')).status).toBe(403);
});
