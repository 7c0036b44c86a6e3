import { parsePolicy, readPolicy } from '@weir/policy';
import type { Transfer } from '@weir/contracts';
import { requested, scored } from '@weir/contracts/testing';
import { createApp, mostExported, storeToken } from '@weir/service-kit';
import { caughtUp, publishTo, type TestService, type TestStack } from '@weir/service-kit/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activatePolicy, policyOperations, shadowPolicy } from './index.ts';
import { backtestView, disagreementsView, policiesView, policyCheck, policyDifference, policyView, velocityView } from './policy-view.ts';
import { openDecision } from './role.testing.ts';

const defaults = readPolicy();
const strict = `${defaults.replaceAll('Low: allow', 'Low: review')}rules:\n  - { name: large, when: transfer.usd_value >= 1000, action: block }\n`;
const hashOf = (text: string): string => parsePolicy(text).hash;
const people = { ann: ['reviewer', 'Ann'], annAgain: ['approver', 'ann'], ben: ['approver', 'Ben'], carl: ['auditor', 'Carl'] } as const;

let stack: TestStack;
let decision: TestService;
let app: ReturnType<typeof createApp>;
beforeAll(async () => {
  ({ stack, decision } = await openDecision());
  for (const [who, [role, name]] of Object.entries(people)) await storeToken(stack.db.pool, `token-${who}`, role, name);
  const { pool: db, access, clock, logger } = decision.pipeline;
  app = createApp(logger, policyOperations({ db, access, clock }));
});
afterAll(() => stack.close());

async function ask(who: keyof typeof people, path: string, body?: object): Promise<{ status: number; body: any }> {
  const answer = await app.request(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer token-${who}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

test('the policy in force has its text, table and rules', async () => {
  const { body } = await ask('carl', '/v1/policies');
  expect(policiesView.parse(body)).toMatchObject({
    items: [{ number: 1, policy_hash: hashOf(defaults), set_by: 'default' }],
    proposal: null,
    rejections: [],
  });
  const read = policyView.parse((await ask('carl', `/v1/policies/${hashOf(defaults)}`)).body);
  expect(read.text).toBe(defaults);
  expect(read.limits).toContainEqual({ about: 'Days that a known price may be old (price_max_age_days)', value: '2' });
  expect(read.windows).toEqual([]);
  expect(read.table.find(({ line }) => line === 'Severe')).toEqual({ line: 'Severe', deposit: 'block', withdrawal: 'block' });
  expect(await ask('carl', `/v1/policies/${'0'.repeat(64)}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await ask('carl', '/v1/policies/active')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('a check lists every problem with its place, or how the policy decides differently', async () => {
  const wrong = `${defaults}rules:\n  - { name: a, when: transfer.nonsense, action: review }\n`;
  const checked = policyCheck.parse((await ask('carl', '/v1/policies/checks', { text: wrong })).body);
  expect(checked).toMatchObject({
    policy_hash: null,
    problems: [{ line: wrong.split('\n').length - 1, path: 'rules.0.when' }],
    changes: [],
  });
  const good = policyCheck.parse((await ask('carl', '/v1/policies/checks', { text: strict })).body);
  expect(good).toMatchObject({ policy_hash: hashOf(strict), problems: [] });
  expect(good.changes.map(({ text }) => text)).toContain('Low deposits: allow → review');
  expect(await ask('ann', '/v1/policies/proposals', { text: wrong })).toMatchObject({ status: 400, body: { code: 'INVALID_POLICY' } });
});

test('a backtest counts how a policy would have decided', async () => {
  await publishTo(decision.pipeline, 'screenings.scored', scored('d-1', 1, 1, { risk_level: 'Low' }));
  await caughtUp(decision.pipeline, 'decision');
  const body = { text: strict, since: '2020-01-01T00:00:00Z' };
  const tested = backtestView.parse((await ask('carl', '/v1/policies/backtests', body)).body);
  expect(tested).toEqual({ policy_hash: hashOf(strict), results: 1, cells: [{ was: 'allow', would_be: 'block', count: 1 }] });
  const now = new Date(decision.pipeline.clock.now() + 60_000).toISOString();
  const halves = [{ until: now }, { since: now }].map((half) => ask('carl', '/v1/policies/backtests', { ...body, ...half }));
  expect((await Promise.all(halves)).map((half) => half.body.results)).toEqual([1, 0]);
  expect(await ask('carl', '/v1/policies/backtests', { ...body, text: 'no' })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_POLICY' },
  });
  expect(await ask('carl', '/v1/policies/backtests', { text: strict })).toMatchObject({ status: 400, body: { code: 'MALFORMED' } });
});

test('one person proposes, another puts it in force, and nobody else', async () => {
  expect(await ask('carl', '/v1/policies/proposals', { text: strict })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await ask('ben', '/v1/policies/approvals', { policy_hash: hashOf(strict) })).toMatchObject({
    status: 409,
    body: { code: 'NOT_PROPOSED' },
  });
  expect(await ask('ann', '/v1/policies/proposals', { text: strict })).toMatchObject({
    status: 201,
    body: { proposed_by: { name: 'Ann' } },
  });
  const waiting = await ask('ben', '/v1/policies');
  expect(waiting.body).toMatchObject({ items: [{ policy_hash: hashOf(defaults) }], proposal: { policy_hash: hashOf(strict) } });
  const approval = { policy_hash: hashOf(strict) };
  expect(await ask('ann', '/v1/policies/approvals', approval)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await ask('annAgain', '/v1/policies/approvals', approval)).toMatchObject({ status: 403, body: { code: 'SAME_PERSON' } });
  expect(await ask('ben', '/v1/policies/approvals', approval)).toMatchObject({ status: 200, body: { number: 2, set_by: 'command' } });
  expect(await ask('ben', '/v1/policies/approvals', approval)).toMatchObject({ status: 409, body: { code: 'SUPERSEDED' } });
  const after = await ask('carl', '/v1/policies');
  expect(after.body).toMatchObject({ items: [{ policy_hash: hashOf(strict) }, { policy_hash: hashOf(defaults) }], proposal: null });
  const changes = await ask('carl', `/v1/policies/${hashOf(strict)}/changes?from=${hashOf(defaults)}`);
  expect(policyDifference.parse(changes.body).changes.map(({ text }) => text)).toContain('Low deposits: allow → review');
});

test('a proposal is rejected with a reason, by another person or its own, and cannot be put in force any more', async () => {
  const text = `${strict}# rejected\n`;
  const of = { policy_hash: hashOf(text) };
  const why = { ...of, reason: 'Too strict.' };
  expect(await ask('ben', '/v1/policies/rejections', why)).toMatchObject({ status: 409, body: { code: 'NOT_PROPOSED' } });
  await ask('ann', '/v1/policies/proposals', { text });
  expect(await ask('carl', '/v1/policies/rejections', why)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await ask('ben', '/v1/policies/rejections', of)).toMatchObject({ status: 400, body: { code: 'MALFORMED' } });
  expect(await ask('ben', '/v1/policies/rejections', why)).toMatchObject({ status: 200, body: { ...of, proposed_by: { name: 'Ann' } } });
  expect((await ask('carl', '/v1/policies')).body).toMatchObject({ proposal: null });
  for (const [path, body] of [
    ['approvals', of],
    ['rejections', why],
  ] as const)
    expect(await ask('ben', `/v1/policies/${path}`, body)).toMatchObject({ status: 409, body: { code: 'REJECTED' } });
  // Proposed again, it is another proposal.
  await ask('ann', '/v1/policies/proposals', { text });
  expect((await ask('carl', '/v1/policies')).body).toMatchObject({ proposal: of });
  expect(await ask('ann', '/v1/policies/rejections', { ...of, reason: 'Taken back.' })).toMatchObject({ status: 200 });
  // The proposer has no access to the audit of people.
  expect(policiesView.parse((await ask('ann', '/v1/policies')).body).rejections).toMatchObject([
    { ...of, proposed_by: { name: 'Ann' }, rejected_by: { name: 'Ann' }, reason: 'Taken back.' },
    { ...why, proposed_by: { name: 'Ann' }, rejected_by: { name: 'Ben' } },
  ]);
  const { rows } = await stack.db.pool.query(
    "SELECT person_name, details FROM access.activities WHERE action = 'policy_rejected' ORDER BY number",
  );
  expect(rows).toEqual([
    { person_name: 'Ben', details: expect.arrayContaining([{ name: 'reason', value: 'Too strict.' }]) },
    { person_name: 'Ann', details: expect.arrayContaining([{ name: 'reason', value: 'Taken back.' }]) },
  ]);
});

test('of an approval and a rejection at the same time, one counts', async () => {
  const text = `${strict}# contested\n`;
  const of = { policy_hash: hashOf(text) };
  await ask('ann', '/v1/policies/proposals', { text });
  const before = (await ask('carl', '/v1/policies')).body.items[0].policy_hash;
  const [approved, rejected] = await Promise.all([
    ask('ben', '/v1/policies/approvals', of),
    ask('ann', '/v1/policies/rejections', { ...of, reason: 'No.' }),
  ]);
  expect(new Set([approved.status, rejected.status])).toEqual(new Set([200, 409]));
  const { body } = await ask('carl', '/v1/policies');
  expect([body.items[0].policy_hash, body.proposal]).toEqual([approved.status === 200 ? of.policy_hash : before, null]);
  await activatePolicy(stack.db.pool, strict);
});

const watching = `${defaults}history:
  deposits_1d: { of: user, kind: deposit, window: 1d }
  pair_7d: { of: user_counterparty, window: 7d }
rules:
  - { name: many, when: history.deposits_1d.count > 1000, action: review }
  - { name: much, when: "history.deposits_1d.usd > 1000000 || history.pair_7d.usd > 1000000", action: review }
  - { name: pairs, when: history.pair_7d.count > 1000, action: review }
`;

/** A Low deposit or withdrawal of the customer `fast`, received now. */
function received(id: string, over: Partial<Transfer>) {
  const now = decision.pipeline.clock.now();
  const base = requested(id, { kind: over.kind ?? 'deposit' });
  const transfer: Transfer = { ...base.transfer, user_id: 'fast', occurred_at: now, ...over };
  return scored(id, 1, 1, { kind: transfer.kind, screening_id: base.screening_id, transfer, requested_at: now, risk_level: 'Low' });
}

test('a customer is counted in the windows of the policy, with the rules that read each', async () => {
  await activatePolicy(stack.db.pool, watching);
  await publishTo(
    decision.pipeline,
    'screenings.scored',
    received('f-1', { usd_value: '100.5', from_address: '0x01' }),
    received('f-2', { usd_value: '200', from_address: '0x02' }),
    received('f-3', { usd_value: '50', from_address: '0x02' }),
    received('f-4', { usd_value: '7', kind: 'withdrawal', to_address: '0x01' }),
  );
  await caughtUp(decision.pipeline, 'decision');
  const active = policyView.parse((await ask('carl', `/v1/policies/${hashOf(watching)}`)).body);
  expect(active.windows).toContainEqual({ name: 'pair_7d', counts: 'transfers of the same user and counterparty in 7d' });
  const { body } = await ask('carl', '/v1/policies/velocity?user_id=fast');
  expect(velocityView.parse(body)).toEqual({
    policy_hash: hashOf(watching),
    items: [
      {
        window: 'deposits_1d',
        of: 'user',
        kind: 'deposit',
        window_ms: 86_400_000,
        count: 3,
        known_usd: '350.5',
        unknown_count: 0,
        rules: ['many', 'much'],
      },
      // Of the counterparty with the highest value.
      {
        window: 'pair_7d',
        of: 'user_counterparty',
        kind: null,
        window_ms: 604_800_000,
        count: 2,
        known_usd: '250',
        unknown_count: 0,
        rules: ['much', 'pairs'],
      },
    ],
  });
  const nobody = velocityView.parse((await ask('carl', '/v1/policies/velocity?user_id=nobody')).body);
  expect(nobody.items.map(({ count, known_usd }) => [count, known_usd])).toEqual([
    [0, '0'],
    [0, '0'],
  ]);
  expect((await ask('carl', '/v1/policies/velocity')).status).toBe(400);
  // More than are counted for a decision: its rules hold, so no number may look small.
  await stack.db.pool.query(
    `INSERT INTO decision.transfers SELECT decision.history_key('busy'), NULL, now(), 'withdrawal', 1, gen_random_uuid() FROM generate_series(1, 20001)`,
  );
  const busy = velocityView.parse((await ask('carl', '/v1/policies/velocity?user_id=busy')).body);
  expect(busy.items.map(({ count, known_usd }) => [count, known_usd])).toEqual([
    [null, null],
    [null, null],
  ]);
});

test('what the candidate decides otherwise is counted and listed', async () => {
  expect((await ask('carl', '/v1/policies/disagreements')).body).toMatchObject({ shadow_hash: null, cells: [], items: [] });
  await shadowPolicy(stack.db.pool, strict);
  await publishTo(decision.pipeline, 'screenings.scored', received('s-1', { usd_value: '2000' }), received('s-2', { usd_value: '3' }));
  await caughtUp(decision.pipeline, 'decision');
  const { shadow_hash: hash, cells, items } = disagreementsView.parse((await ask('carl', '/v1/policies/disagreements')).body);
  expect(hash).toBe(hashOf(strict));
  expect(cells).toEqual(
    expect.arrayContaining([
      { action: 'allow', shadow: 'block', count: 1 },
      { action: 'allow', shadow: 'review', count: 1 },
    ]),
  );
  expect(items.map(({ shadow, usd_value: usd }) => `${shadow} ${usd}`)).toEqual(expect.arrayContaining(['block 2000', 'review 3']));
  expect(items).toHaveLength(2);
  const later = await ask('carl', `/v1/policies/disagreements?since=${new Date(decision.pipeline.clock.now() + 3_600_000).toISOString()}`);
  expect(later.body).toMatchObject({ cells: [], items: [] });
});

test('what the candidate decides otherwise is exported, and no spreadsheet runs a rule', async () => {
  const exported = async (query = ''): Promise<{ rows: Record<string, string>[]; cut: string | null }> => {
    const answer = await app.request(`/v1/exports/policy-disagreements${query}`, { headers: { authorization: 'Bearer token-carl' } });
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="policy-disagreements.csv"']);
    return { rows: parse(await answer.text(), { columns: true }), cut: answer.headers.get('x-weir-cut') };
  };
  const { items } = (await ask('carl', '/v1/policies/disagreements')).body;
  const { rows, cut } = await exported();
  expect(cut).toBe('false');
  expect(rows.map(({ screening_id: id, shadow, usd_value: usd, decided_at }) => [id, shadow, usd, decided_at])).toEqual(
    items.map((item: Record<string, string>) => [item['screening_id'], item['shadow'], item['usd_value'], item['decided_at']]),
  );
  await stack.db.pool.query(`UPDATE decision.decisions SET rule = '=1+cmd' WHERE shadow_policy_hash = $1`, [hashOf(strict)]);
  expect(new Set((await exported()).rows.map(({ rule }) => rule))).toEqual(new Set(["'=1+cmd"]));
  const later = new Date(decision.pipeline.clock.now() + 3_600_000).toISOString();
  expect(await exported(`?since=${later}`)).toEqual({ rows: [], cut: 'false' });
  expect(
    (await app.request('/v1/exports/policy-disagreements?since=now', { headers: { authorization: 'Bearer token-carl' } })).status,
  ).toBe(400);
  await storeToken(stack.db.pool, 'token-ingest', 'ingest', 'exchange');
  expect((await app.request('/v1/exports/policy-disagreements', { headers: { authorization: 'Bearer token-ingest' } })).status).toBe(403);
  await stack.db.pool.query(
    `INSERT INTO decision.decisions SELECT r.*
     FROM (SELECT * FROM decision.decisions WHERE shadow_policy_hash = $1 AND shadow <> action LIMIT 1) AS d, generate_series(2, $2::int) AS n,
       jsonb_populate_record(NULL::decision.decisions, to_jsonb(d) || jsonb_build_object('revision', n, 'cause', n)) AS r`,
    [hashOf(strict), mostExported + 1],
  );
  const many = await exported();
  expect([many.rows.length, many.cut]).toEqual([mostExported, 'true']);
});
