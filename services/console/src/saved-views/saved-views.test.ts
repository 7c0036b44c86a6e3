import { ManualClock } from '@weir/clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('a view holds no customer, address or transaction, so that an erasure finds none', async () => {
  for (const filter of [{ user_id: 'u-1' }, { address: '0x01' }, { txid: '0x02' }, { subject: '0x03' }, { source_id: 'd-1' }, { kind: '' }])
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
