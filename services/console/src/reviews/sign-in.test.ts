import { screeningId } from '@weir/contracts';
import { caughtUp, startTestProvider, testAudience, type TestProvider } from '@weir/service-kit/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decided, publish, requested, scored } from '../events.testing.ts';
import { type Console, openReviewStack, type ReviewStack, resolutions } from './reviews.testing.ts';

let reviews: ReviewStack;
let console: Console;
let provider: TestProvider;
let held = 0;
beforeAll(async () => {
  [reviews, provider] = await Promise.all([openReviewStack(), startTestProvider()]);
  console = await reviews.start('', {
    oidcIssuer: provider.issuer,
    oidcAudience: testAudience,
    oidcRoleMap: 'compliance=reviewer,compliance-leads=approver,ops=admin',
  });
});
afterAll(() => Promise.all([reviews.stack.close(), provider.stop()]));
beforeEach(async () => {
  held += 1;
  const high = { score: 80, risk_level: 'High' } as const;
  await publish(console.pipeline, [
    requested('deposit', held),
    scored('deposit', held, high),
    decided('deposit', held, { action: 'review', reason_codes: ['LEVEL_HIGH'], ...high }),
  ]);
  await caughtUp(console.pipeline, 'console');
});

const path = (what: string): string => `/v1/reviews/${screeningId('deposit', `deposit-${held}`)}${what}`;
const person = (sub: string, roles: string, name: string = sub): Promise<string> =>
  provider.token({ sub, roles, preferred_username: name });
const resolve = (token: string) => console.ask('POST', path('/resolutions'), token, { action: 'allow', reason: 'our own' });
const approve = (token: string, resolution_id: string) => console.ask('POST', path('/approvals'), token, { resolution_id, approve: true });

test('two people of the provider resolve and approve, and the event names them', async () => {
  const { status, body } = await resolve(await person('1', 'compliance', 'Ann'));
  expect(status).toBe(201);
  expect((await approve(await person('2', 'compliance-leads', 'Ben'), body.resolution_id)).status).toBe(200);
  const [told] = (await resolutions(console)).slice(-1);
  expect(told).toMatchObject({
    reviewer: expect.stringMatching(/^reviewer:oidc-[0-9a-f]{32}$/),
    approver: expect.stringMatching(/^approver:oidc-[0-9a-f]{32}$/),
  });
  expect((await console.ask('GET', path(''), 'auditor')).body.resolution).toMatchObject({
    resolved_by: { id: told?.reviewer, name: 'Ann' },
    answered_by: { id: told?.approver, name: 'Ben' },
  });
});

test.each<[string, [string, string, string], [string, string, string]]>([
  ['with another token', ['3', 'compliance-leads', 'Cleo'], ['3', 'compliance-leads', 'Cleo']],
  ['with another role and another name', ['4', 'compliance', 'Dan'], ['4', 'compliance-leads', 'Daniel']],
  ['with another account of the same name', ['5', 'compliance', 'Eve'], ['6', 'compliance-leads', ' EVE']],
])('one person cannot be both, %s', async (_, first, second) => {
  const { resolution_id } = (await resolve(await person(...first))).body;
  expect(await approve(await person(...second), resolution_id)).toMatchObject({ status: 403, body: { code: 'SAME_PERSON' } });
});

test('a person with a stored token of the same name is one, and with one of another name is another', async () => {
  const { resolution_id } = (await resolve('reviewer')).body;
  expect(await approve(await person('7', 'compliance-leads', 'ann'), resolution_id)).toMatchObject({ status: 403 });
  expect(await approve(await person('8', 'compliance-leads', 'Fay'), resolution_id)).toMatchObject({ status: 200 });
});

test('who may not is told so, and who is not known too', async () => {
  expect(await resolve(await person('9', 'ops'))).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await resolve(await person('9', 'none'))).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await resolve(await provider.token({ roles: 'compliance', aud: 'x' }))).toMatchObject({ status: 401 });
  expect((await console.ask('GET', path(''), await person('9', 'ops'))).status).toBe(200);
});
