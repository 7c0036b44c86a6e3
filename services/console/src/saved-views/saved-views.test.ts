import { ManualClock } from '@weir/clock';
import { transaction } from '@weir/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eraseShown } from '../erase.ts';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { savedViewOperations } from './routes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi((db, access) => savedViewOperations({ db, access, clock: new ManualClock(0) }));
});
afterAll(() => api.close());

async function ask(method: string, path: string, { role = 'reviewer', filter }: { role?: string; filter?: unknown } = {}) {
  const answer = await api.send(path, {
    method,
    headers: { authorization: `Bearer token-${role}`, 'content-type': 'application/json' },
    ...(filter !== undefined && { body: JSON.stringify({ filter }) }),
  });
  return { status: answer.status, body: (await answer.json()) as any };
}
const pathOf = (name: string, list = 'reviews'): string => `/v1/saved-views/${list}/${encodeURIComponent(name)}`;
const namesOf = async (role?: string): Promise<string[]> =>
  (await ask('GET', '/v1/saved-views', role === undefined ? {} : { role })).body.items.map(({ name }: { name: string }) => name);

test('a person keeps, replaces and removes a filter, which nobody else sees', async () => {
  const name = 'Large / “mine” <b>';
  expect(await ask('PUT', pathOf(name), { filter: { min_usd: '10000' } })).toMatchObject({
    status: 200,
    body: { list: 'reviews', name, filter: { min_usd: '10000' } },
  });
  expect((await ask('PUT', pathOf(name), { filter: { level: 'High', sort: 'value' } })).status).toBe(200);
  expect((await ask('GET', '/v1/saved-views')).body.items).toEqual([{ list: 'reviews', name, filter: { level: 'High', sort: 'value' } }]);
  expect(await namesOf('approver')).toEqual([]);
  expect((await ask('DELETE', pathOf(name), { role: 'approver' })).status).toBe(404);
  expect((await ask('DELETE', pathOf(name))).status).toBe(200);
  expect((await ask('DELETE', pathOf(name))).status).toBe(404);
  expect(await namesOf()).toEqual([]);
});

test('a view keeps each filter of a list, and an erasure removes those that name what is erased', async () => {
  const address = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
  const named = [{ user_id: 'u-1' }, { address }, { txid: '0x02' }, { subject: address }, { source_id: 'd-1' }];
  const others = [{ user_id: 'u-10' }, { coin: 'u-1' }, { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' }];
  for (const [n, filter] of [...named, ...others].entries()) expect((await ask('PUT', pathOf(`${n}`), { filter })).status).toBe(200);
  const none = { own: [], shared: [], open: [] };
  const words = ['u-1', address.toLowerCase(), '0x02', 'd-1'];
  await transaction(api.db.pool, (tx) => eraseShown(tx, { screenings: [], users: ['u-1'], cases: none, words, keys: [] }));
  const { body } = await ask('GET', '/v1/saved-views');
  expect(body.items.map(({ filter }: { filter: object }) => filter)).toEqual(others);
  for (const { name } of body.items) await ask('DELETE', pathOf(name));
});

test('what is no filter of a list is not kept', async () => {
  for (const filter of [{ kind: '' }, { limit: '5' }, { coin: 'A\u0000' }])
    expect((await ask('PUT', pathOf('one'), { filter })).status).toBe(400);
  expect((await ask('PUT', pathOf('one', 'customers'), { filter: {} })).status).toBe(404);
  expect(await namesOf()).toEqual([]);
});

test('a person keeps at most 50, also with many at once', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask('PUT', pathOf(`view ${n}`), { role: 'auditor', filter: {} })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({ status: 409, body: { code: 'TOO_MANY_VIEWS' } });
  const [kept = ''] = await namesOf('auditor');
  expect((await ask('PUT', pathOf(kept), { role: 'auditor', filter: { kind: 'deposit' } })).status).toBe(200);
});

test('machines have none', async () => {
  expect((await ask('GET', '/v1/saved-views', { role: 'gate' })).status).toBe(403);
});
