import { createChainSchema } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { storeToken } from '@weir/service-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { labelOperations } from './routes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi((db, access) => labelOperations({ db, access, clock: systemClock }));
  await createChainSchema(api.db.pool);
  await storeToken(api.db.pool, 'token-other', 'reviewer', 'other');
  // An administrator may be nobody by name.
  await storeToken(api.db.pool, 'token-nameless', 'admin', '');
  await storeToken(api.db.pool, 'token-namesake', 'admin', 'Reviewer');
});
afterAll(() => api.close());

async function post(role: string, path: string, body: object): Promise<{ status: number; body: any }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer token-${role}` };
  const answer = await api.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

test.each(['reviewer', 'admin'])('the role %s takes back an own request, and answers no other', async (role) => {
  const asked = await post(role, '/v1/label-requests', { action: 'withdraw', source: 'own', reason: 'wrong' });
  const path = `/v1/label-requests/${asked.body.request_id}/answers`;
  for (const [who, approve] of [
    [role, true],
    ['other', false],
    ['nameless', false],
    ['auditor', false],
  ] as const)
    expect(await post(who, path, { approve })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await post(role, path, { approve: false })).toMatchObject({
    status: 200,
    body: { state: 'rejected', requested_by: role, answered_by: role },
  });
  expect(await post('approver', path, { approve: true })).toMatchObject({ status: 409, body: { code: 'ANSWERED' } });
});

test('another token of the same name takes a request back, too', async () => {
  const asked = await post('reviewer', '/v1/label-requests', { action: 'withdraw', source: 'own', reason: 'wrong' });
  const path = `/v1/label-requests/${asked.body.request_id}/answers`;
  expect(await post('namesake', path, { approve: false })).toMatchObject({ status: 200, body: { state: 'rejected' } });
});
