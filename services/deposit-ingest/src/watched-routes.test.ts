import { beginFollowing, chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import { intakeMigrations } from '@weir/intake';
import { createApp, createLogger, roles, type RunningServer, serve, storeToken } from '@weir/service-kit';
import { openTestStack, type TestRole, type TestStack } from '@weir/service-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startDepositIngest } from './index.ts';

const withChains: TestRole = { service: 'deposit-ingest', modules: { intake: intakeMigrations, [chainStoreModule]: chainStoreMigrations } };
const withoutChains: TestRole = { service: 'deposit-ingest', modules: { intake: intakeMigrations } };
const first = '0x28C6c06298d514Db089934071355E5743bf21d60';
const second = '0x21a31Ee1afC51d94C2eFcCAa2092aD1028285549';

let stack: TestStack;
let server: RunningServer;
const open = async (role: TestRole): Promise<void> => {
  stack = await openTestStack({ roles: [role] });
  for (const each of roles) await storeToken(stack.db.pool, `token-${each}`, each, each);
  const { service } = await stack.service((pipeline) => startDepositIngest(pipeline, { depositDeadlineMs: 600_000 }), { role });
  server = await serve(createApp(createLogger({ service: 'test', level: 'silent' }), service.operations), { host: '127.0.0.1', port: 0 });
};
beforeEach(() => open(withChains));
const close = async (): Promise<void> => {
  await server.close();
  await stack.close();
};
afterEach(close);

async function ask(method: string, path: string, { role = 'ingest', body }: { role?: string; body?: object } = {}) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/v1/watched-addresses${path}`, {
    method,
    headers: { authorization: `Bearer token-${role}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as any };
}
const add = (addresses: object[], more: object = {}) => ask('POST', '', { body: { chain: 'ethereum', addresses, ...more } });
const acts = async (): Promise<unknown[]> =>
  (await stack.db.pool.query('SELECT action, subject, details, person_id FROM access.activities ORDER BY number')).rows;

test('addresses are watched once, listed page by page, and removed by an administrator', async () => {
  const since = '2026-01-01T00:00:00.000Z';
  expect(await add([{ address: first.toLowerCase(), user_id: 'u-1' }, { address: second }], { since })).toEqual({
    status: 200,
    body: { given: 2, added: 2, is_followed: false },
  });
  await beginFollowing(stack.db.pool, 'ethereum', 1);
  expect(await add([{ address: first, user_id: 'u-2' }])).toMatchObject({ status: 200, body: { given: 1, added: 0, is_followed: true } });
  const page = await ask('GET', '?limit=1');
  expect(page.body).toEqual({
    items: [{ chain: 'ethereum', address: second, user_id: null, since }],
    next_cursor: expect.any(String),
  });
  const items = [{ chain: 'ethereum', address: first, user_id: 'u-2', since }];
  expect((await ask('GET', `?limit=1&cursor=${page.body.next_cursor}`)).body).toEqual({ items, next_cursor: null });
  expect((await ask('GET', '?chain=base', { role: 'auditor' })).body).toEqual({ items: [], next_cursor: null });
  expect(await ask('DELETE', `/ethereum/${second}`)).toMatchObject({ status: 403 });
  expect(await ask('DELETE', `/ethereum/${second}`, { role: 'admin' })).toEqual({ status: 200, body: { removed: 1 } });
  expect(await ask('DELETE', `/ethereum/${second}`, { role: 'admin' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect((await ask('GET', '')).body).toEqual({ items, next_cursor: null });
  const act = { subject: 'ethereum', person_id: expect.stringMatching(/^(ingest|admin):/) };
  expect(await acts()).toEqual([
    { ...act, action: 'addresses_watched', details: [{ name: 'addresses', value: '2' }] },
    { ...act, action: 'addresses_unwatched', details: [{ name: 'addresses', value: '1' }] },
  ]);
});

test('each invalid address is named, and then none is watched', async () => {
  const refused = await add([{ address: first }, { address: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh' }, { address: '' }]);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'addresses.1.address' }, { field: 'addresses.2.address' }] } });
  expect((await ask('GET', '')).body.items).toEqual([]);
});

test.each<[string, object]>([
  ['an unknown chain', { chain: 'nowhere', addresses: [{ address: first }] }],
  ['no address', { chain: 'ethereum', addresses: [] }],
  ['more than 1,000', { chain: 'ethereum', addresses: Array.from({ length: 1_001 }, () => ({ address: first })) }],
  ['a customer with a control character', { chain: 'ethereum', addresses: [{ address: first, user_id: 'u\u0000' }] }],
  [
    'one address of two customers',
    {
      chain: 'ethereum',
      addresses: [
        { address: first, user_id: 'u-1' },
        { address: first.toLowerCase(), user_id: 'u-2' },
      ],
    },
  ],
  ['a misspelt field', { chain: 'ethereum', addresses: [{ address: first, user: 'u-1' }] }],
  ['a time that is none', { chain: 'ethereum', addresses: [{ address: first }], since: 'yesterday' }],
])('%s is refused', async (_, body) => {
  expect(await ask('POST', '', { body })).toMatchObject({ status: 400 });
});

test.each(['?cursor=x', '?cursor=WyJub3doZXJlIiwiMHgiXQ', '?limit=0', '?limit=1001', '?chain=nowhere', '?chains=base'])(
  '%s is refused',
  async (query) => {
    expect(await ask('GET', query)).toMatchObject({ status: 400 });
  },
);

test.each(['gate', 'reviewer', 'approver'])('the role %s may not read or write them', async (role) => {
  expect(await ask('GET', '', { role })).toMatchObject({ status: 403 });
  expect(await ask('POST', '', { role, body: { chain: 'ethereum', addresses: [{ address: first }] } })).toMatchObject({ status: 403 });
});

test('a database without chain data says so', async () => {
  await close();
  await open(withoutChains);
  const answers = await Promise.all([ask('GET', ''), add([{ address: first }]), ask('DELETE', `/ethereum/${first}`, { role: 'admin' })]);
  for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOLLOWED' } });
});
