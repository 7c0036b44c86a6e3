import { type ScreeningDecided, screeningId } from '@weir/contracts';
import { parse } from 'csv-parse/sync';
import { caughtUp, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decided, publish, requested, scored, type TestEvent } from '../events.testing.ts';
import { type Console, followed, idOf, openReviewStack, people, type ReviewStack, resolutions } from './reviews.testing.ts';

let reviews: ReviewStack;
let console: Console;
beforeEach(async () => {
  reviews = await openReviewStack();
  console = await reviews.start();
});
afterEach(() => reviews.stack.close());

const id = (n = 1): string => screeningId('deposit', `deposit-${n}`);
const path = (what = '', n = 1): string => `/v1/reviews/${id(n)}${what}`;
const held = (n = 1, over: Partial<ScreeningDecided> = {}): TestEvent =>
  decided('deposit', n, { action: 'review', reason_codes: ['LEVEL_HIGH'], score: 80, risk_level: 'High', ...over });
const high = { score: 80, risk_level: 'High' } as const;

async function take(...events: TestEvent[]): Promise<void> {
  await publish(console.pipeline, events);
  await caughtUp(console.pipeline, 'console');
}
/** A deposit that the policy holds. */
const hold = (n = 1, usd: string | null = null): Promise<void> => {
  const { data } = decided('deposit', n) as { data: ScreeningDecided };
  const transfer = { ...data.transfer, usd_value: usd };
  return take(requested('deposit', n, { transfer }), scored('deposit', n, { ...high, transfer }), held(n, { transfer }));
};
const resolve = (who: keyof typeof people = 'reviewer', over: object = {}, n = 1) =>
  console.ask('POST', path('/resolutions', n), who, { action: 'allow', reason: 'the sender is our own', ...over });
const approve = (resolution_id: string, who: keyof typeof people = 'approver', over: object = {}) =>
  console.ask('POST', path('/approvals'), who, { resolution_id, approve: true, ...over });
const show = async (n = 1) => (await console.ask('GET', path('', n), 'auditor')).body;
/** Publishes the next revision, as decision does. */
async function decide(n = 1): Promise<void> {
  const [latest] = (await resolutions(console)).filter(({ screening_id }) => screening_id === id(n)).slice(-1);
  if (latest === undefined) throw new Error('nothing was resolved');
  const { data } = held(n) as { data: ScreeningDecided };
  await take({ topic: 'screenings.decided', data: followed(latest, data) });
}

test('one person resolves, another approves, and decision is told once', async () => {
  await hold();
  const { status, body } = await resolve('reviewer', { reason: '  the sender is our own\n' });
  expect([status, body]).toEqual([201, { resolution_id: expect.stringMatching(/^[0-9a-f-]{36}$/), state: 'pending_approval' }]);
  expect(await resolutions(console)).toEqual([]);
  expect(await show()).toMatchObject({
    state: 'pending_approval',
    resolution: { state: 'pending_approval', needs_approval: true, answered_by: null },
  });
  expect(await approve(body.resolution_id)).toEqual({ status: 200, body: { ...body, state: 'approved' } });
  const [told, ...more] = await resolutions(console);
  expect(more).toEqual([]);
  expect(told).toEqual({
    screening_id: id(),
    revision: 1,
    action: 'allow',
    reviewer: idOf('reviewer'),
    approver: idOf('approver'),
    reason: 'the sender is our own',
    resolved_at: expect.any(Number),
    approved_at: expect.any(Number),
    resolution_id: body.resolution_id,
  });
  expect(await show()).toMatchObject({ state: 'approved' });
  await decide();
  expect(await show()).toMatchObject({
    state: 'resolved',
    revision: 2,
    action: 'allow',
    held_since: null,
    late_result: false,
    decisions: [{ revision: 1 }, { revision: 2, reason_codes: ['REVIEWED'], resolution_id: body.resolution_id }],
    resolutions: [
      {
        state: 'applied',
        reason: 'the sender is our own',
        resolved_by: { id: idOf('reviewer'), name: 'Ann' },
        answered_by: { id: idOf('approver'), name: 'Cleo' },
      },
    ],
  });
  // A client that lost the response retries.
  expect(await approve(body.resolution_id)).toEqual({ status: 200, body: { ...body, state: 'applied' } });
  expect(await resolutions(console)).toHaveLength(1);
});

test.each<[keyof typeof people | undefined, number, number, number]>([
  // Statuses of: resolve, approve the reviewer's resolution, reopen.
  [undefined, 401, 401, 401],
  ['ingest', 403, 403, 403],
  ['gate', 403, 403, 403],
  ['auditor', 403, 403, 403],
  ['admin', 403, 403, 201],
  ['reviewer-2', 201, 403, 201],
  ['approver', 201, 200, 201],
])('%s: resolves %i, approves %i, reopens %i', async (who, resolves, approves, reopens) => {
  await hold(1);
  await hold(2);
  await take(requested('deposit', 3), decided('deposit', 3));
  const resolution = (await resolve()).body.resolution_id as string;
  expect((await console.ask('POST', path('/approvals'), who, { resolution_id: resolution, approve: true })).status).toBe(approves);
  expect((await console.ask('POST', path('/resolutions', 2), who, { action: 'block', reason: 'r' })).status).toBe(resolves);
  expect((await console.ask('POST', path('/reopenings', 3), who, { reason: 'r' })).status).toBe(reopens);
  const margin = reopens === 201 ? [201, 201, 200, 200] : [reopens, reopens, reopens, reopens];
  const written = [
    await console.ask('POST', path('/notes'), who, { text: 'n' }),
    await console.ask('POST', path('/attachments'), who, { name: 'a.txt', content_base64: 'YQ==' }),
    await console.ask('PUT', path('/assignee'), who, { assignee: 'Ann' }),
    await console.ask('PUT', path('/due'), who, { due_at: null }),
  ];
  expect(written.map(({ status }) => status)).toEqual(margin);
});

describe('four eyes:', () => {
  test.each<[string, keyof typeof people, keyof typeof people]>([
    ['the same token', 'approver', 'approver'],
    ['another token of the same name', 'reviewer', 'approver-ann'],
  ])('%s cannot approve, nor reject', async (_, first, second) => {
    await hold();
    const { resolution_id } = (await resolve(first)).body;
    for (const answer of [true, false]) {
      expect(await approve(resolution_id, second, { approve: answer })).toMatchObject({ status: 403, body: { code: 'SAME_PERSON' } });
    }
    expect(await show()).toMatchObject({ state: 'pending_approval' });
    expect(await resolutions(console)).toEqual([]);
  });

  test('a rejected resolution leaves the review open, and the next one is another', async () => {
    await hold();
    const { resolution_id } = (await resolve()).body;
    const no = { approve: false, reason: 'look at the second hop' };
    expect(await approve(resolution_id, 'approver', no)).toMatchObject({ status: 200, body: { state: 'rejected' } });
    expect(await approve(resolution_id, 'approver', no)).toMatchObject({ status: 200, body: { state: 'rejected' } });
    expect(await approve(resolution_id)).toMatchObject({ status: 409, body: { code: 'ALREADY_ANSWERED', state: 'rejected' } });
    expect(await show()).toMatchObject({ state: 'open', resolution: { state: 'rejected', answer_reason: 'look at the second hop' } });
    const next = await resolve('reviewer', { action: 'block' });
    expect(next.status).toBe(201);
    expect(next.body.resolution_id).not.toBe(resolution_id);
    expect(await resolutions(console)).toEqual([]);
  });
});

describe('409:', () => {
  test('a second resolution while one is pending names the first', async () => {
    await hold();
    const { resolution_id } = (await resolve()).body;
    for (const who of ['reviewer', 'reviewer-2'] as const) {
      const second = {
        code: 'RESOLUTION_STANDS',
        resolution_id,
        action: 'allow',
        state: 'pending_approval',
        resolved_by: idOf('reviewer'),
      };
      expect(await resolve(who)).toMatchObject({ status: 409, body: second });
    }
    await approve(resolution_id);
    expect(await resolve()).toMatchObject({ status: 409, body: { code: 'RESOLUTION_STANDS', state: 'approved' } });
    await decide();
    expect(await resolve()).toMatchObject({ status: 409, body: { code: 'NOT_HELD' } });
  });

  test('a revision that is not the latest', async () => {
    await hold();
    await take(held(1, { revision: 2, supersedes: 1 }));
    for (const revision of [1, 3]) {
      expect(await resolve('reviewer', { revision })).toMatchObject({ status: 409, body: { code: 'NOT_LATEST', latest_revision: 2 } });
    }
    expect((await resolve('reviewer', { revision: 2 })).status).toBe(201);
  });

  test('a result in between: the resolution is superseded, and what is held is open again', async () => {
    await hold();
    const { resolution_id } = (await resolve()).body;
    await take(held(1, { revision: 2, supersedes: 1 }));
    expect(await show()).toMatchObject({ state: 'open', revision: 2, resolution: { state: 'superseded' } });
    expect(await approve(resolution_id)).toMatchObject({ status: 409, body: { code: 'SUPERSEDED', resolution_id } });
    expect((await resolve()).status).toBe(201);
  });

  test('a result between approval and decision: superseded, and open again', async () => {
    await hold();
    const { resolution_id } = (await resolve()).body;
    await approve(resolution_id);
    await take(held(1, { revision: 2, supersedes: 1 }));
    expect(await show()).toMatchObject({ state: 'open', resolution: { state: 'superseded', answered_by: { name: 'Cleo' } } });
  });

  test('what is not decided, not held, or held already', async () => {
    await take(requested('deposit', 1));
    expect(await resolve()).toMatchObject({ status: 409, body: { code: 'NOT_DECIDED' } });
    await take(decided('deposit', 1));
    expect(await resolve()).toMatchObject({ status: 409, body: { code: 'NOT_HELD' } });
    await hold(2);
    expect(await console.ask('POST', path('/reopenings', 2), 'reviewer', { reason: 'r' })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_HELD' },
    });
  });
});

test('what was resolved is held again by one person, with a reason, through a new revision', async () => {
  await hold();
  await approve((await resolve()).body.resolution_id);
  await decide();
  const reopen = () => console.ask('POST', path('/reopenings'), 'reviewer', { reason: 'the sender is not our own' });
  expect(await reopen()).toMatchObject({ status: 201, body: { state: 'approved' } });
  expect(await reopen()).toMatchObject({ status: 409, body: { code: 'RESOLUTION_STANDS', action: 'review' } });
  expect((await resolutions(console)).at(-1)).toMatchObject({ revision: 2, action: 'review', approver: null, reviewer: idOf('reviewer') });
  await decide();
  expect(await show()).toMatchObject({ state: 'open', revision: 3, action: 'review', held_since: expect.any(String) });
  expect((await resolve('approver', { action: 'block' })).status).toBe(201);
});

test('a late result changes nothing that people decided, and is shown', async () => {
  await hold();
  await approve((await resolve()).body.resolution_id);
  await decide();
  const late = async () => (await console.ask('GET', '/v1/reviews?late=true', 'auditor')).body.items.length;
  expect(await late()).toBe(0);
  await take(scored('deposit', 1, { sequence: 2, score: 100, risk_level: 'Severe' }));
  expect(await late()).toBe(1);
  // The result that decision used, with an older time, then with a newer one.
  await take(scored('deposit', 1, { sequence: 3, ...high }));
  expect([await late(), (await show()).late_result]).toEqual([0, false]);
  await take(scored('deposit', 1, { sequence: 4, ...high, scored_at: Date.UTC(2027, 0, 1) }));
  expect([await late(), (await show()).late_result]).toEqual([1, true]);
  await take(scored('deposit', 1, { sequence: 5, score: 100, risk_level: 'Severe' }));
  expect(await show()).toMatchObject({
    state: 'resolved',
    action: 'allow',
    late_result: true,
    result: { score: 100, risk_level: 'Severe' },
  });
});

describe('one person may do', () => {
  const sanctioned = {
    entity: 'S',
    risk_type: 'sanctioned_entity',
    exposure_type: 'indirect',
    hop_num: 2,
    volume_usd: 1,
    percent: 1,
    side: null,
  } as const;

  test.each<[string, string, string | null, string]>([
    ['below the limit', '1000.50', '1000.49', 'approved'],
    ['not at the limit', '1000.50', '1000.50', 'pending_approval'],
    ['not of an unknown value', '1000.50', null, 'pending_approval'],
    ['not without a limit', '', '0.01', 'pending_approval'],
  ])('%s', async (_, limit, usd, state) => {
    await console.stop();
    console = await reviews.start(limit);
    await hold(1, usd);
    expect((await resolve()).body).toMatchObject({ state });
    expect((await resolutions(console)).map(({ approver, approved_at }) => [approver, approved_at])).toEqual(
      state === 'approved' ? [[null, null]] : [],
    );
  });

  test('never where a sanctioned entity is dealt with, by the decision or a result that came late', async () => {
    await console.stop();
    console = await reviews.start('1000');
    await hold(1, '5');
    await take(scored('deposit', 1, { sequence: 2, ...high, risk_detail: [sanctioned] }));
    expect((await resolve()).body).toMatchObject({ state: 'pending_approval' });
    await hold(2, '5');
    await take(held(2, { revision: 2, supersedes: 1, reason_codes: ['SANCTIONED_EXPOSURE', 'LEVEL_HIGH'] }));
    expect((await resolve('reviewer', {}, 2)).body).toMatchObject({ state: 'pending_approval' });
  });
});

test.each(['USD_VALUE_CONTRADICTED', 'PRICE_UNAVAILABLE'])('one person never resolves by a declared value in doubt: %s', async (code) => {
  await console.stop();
  console = await reviews.start('1000');
  await hold(1, '5');
  await take(held(1, { revision: 2, supersedes: 1, reason_codes: ['LEVEL_HIGH', code] }));
  expect((await resolve()).body).toMatchObject({ state: 'pending_approval' });
});

describe('the list', () => {
  beforeEach(async () => {
    for (const n of [1, 2, 3]) await hold(n);
    const withdrawal = { action: 'review', reason_codes: ['NO_DATA'] } as const;
    await take(requested('withdrawal', 4), decided('withdrawal', 4, withdrawal), requested('deposit', 5), decided('deposit', 5));
    await resolve('reviewer', {}, 2);
    await console.ask('PUT', path('/assignee', 3), 'reviewer', { assignee: 'Ann' });
    await console.ask('PUT', path('/due', 3), 'reviewer', { due_at: '2026-01-02T01:00:00+01:00' });
  });
  const list = async (query = '') => (await console.ask('GET', `/v1/reviews?${query}`, 'auditor')).body;
  const numbers = (body: { items: { transfer: { deposit_id?: string; withdrawal_id?: string } }[] }) =>
    body.items.map(({ transfer }) => Number((transfer.deposit_id ?? transfer.withdrawal_id)?.split('-')[1]));

  test.each([
    ['', [1, 2, 3, 4]],
    ['state=open', [1, 3, 4]],
    ['state=pending_approval', [2]],
    ['state=approved', []],
    ['state=resolved', []],
    ['kind=withdrawal', [4]],
    ['assignee=Ann', [3]],
    ['assignee=none&kind=deposit', [1, 2]],
    ['due=overdue', [3]],
    ['due=2026-01-02T00:00:00Z', []],
    ['due=2026-01-02T00:00:00.001Z', [3]],
  ])('by %j', async (query, expected) => expect(numbers(await list(query))).toEqual(expected));

  test('goes on by the cursor, and shows what it is about', async () => {
    const first = await list('limit=3');
    expect(numbers(first)).toEqual([1, 2, 3]);
    expect(numbers(await list(`limit=3&cursor=${first.next_cursor}`))).toEqual([4]);
    expect(first.items[2]).toMatchObject({
      screening_id: id(3),
      kind: 'deposit',
      state: 'open',
      revision: 1,
      reason_codes: ['LEVEL_HIGH'],
      result: { risk_level: 'High' },
      late_result: false,
      held_since: '2026-01-01T00:00:03.250Z',
      held_seconds: expect.any(Number),
      assignee: 'Ann',
      due_at: '2026-01-02T00:00:00.000Z',
      overdue: true,
      resolution: null,
    });
  });

  test('tells what was resolved', async () => {
    const { resolution_id } = (await show(2)).resolution;
    await console.ask('POST', path('/approvals', 2), 'approver', { resolution_id, approve: true });
    expect(numbers(await list('state=approved'))).toEqual([2]);
    await decide(2);
    expect(numbers(await list('state=resolved'))).toEqual([2]);
    expect(numbers(await list())).toEqual([1, 3, 4]);
  });

  test('is measured', async () => {
    const text = await console.pipeline.metrics.scrape();
    for (const line of [
      'weir_reviews_open{kind="deposit",state="open"} 2',
      'weir_reviews_open{kind="deposit",state="pending_approval"} 1',
      'weir_reviews_open{kind="withdrawal",state="open"} 1',
      'weir_reviews_open{kind="withdrawal",state="approved"} 0',
      'weir_reviews_overdue{kind="deposit"} 1',
      'weir_reviews_overdue{kind="withdrawal"} 0',
    ])
      expect(text).toContain(line);
    expect(text).toMatch(/weir_review_oldest_seconds\{kind="deposit",state="open"\} [1-9]/);
  });
});

test('notes are kept in order, each once; assignee and due time are set by themselves', async () => {
  await hold();
  const note = (text: string) => console.ask('POST', path('/notes'), 'reviewer', { text });
  const first = await note('asked the customer');
  expect(first.status).toBe(201);
  expect(await note('asked the customer')).toEqual({ status: 200, body: first.body });
  await note('no answer');
  expect((await console.ask('PUT', path('/assignee'), 'admin', { assignee: ' Ann ' })).body).toEqual({ assignee: 'Ann', due_at: null });
  const due = { due_at: '2026-05-01T00:00:00.000Z' };
  expect((await console.ask('PUT', path('/due'), 'admin', due)).body).toEqual({ assignee: 'Ann', ...due });
  // Of two people who take it at once, the second is told who has it.
  const late = await console.ask('PUT', path('/assignee'), 'reviewer', { assignee: 'Ben', expected_assignee: null });
  expect(late).toMatchObject({ status: 409, body: { code: 'REASSIGNED', detail: 'Ann has it now', assignee: 'Ann' } });
  const repeat = await console.ask('PUT', path('/assignee'), 'admin', { assignee: 'Ann', expected_assignee: null });
  expect(repeat).toEqual({ status: 200, body: { assignee: 'Ann', ...due } });
  const released = await console.ask('PUT', path('/assignee'), 'admin', { assignee: null, expected_assignee: 'Ann' });
  expect(released.body).toEqual({ assignee: null, ...due });
  expect((await console.ask('PUT', path('/due'), 'reviewer', { due_at: null })).body).toEqual({ assignee: null, due_at: null });
  const { notes, plan_changes } = await show();
  expect(notes).toMatchObject([{ text: 'no answer' }, { text: 'asked the customer', written_by: { name: 'Ann' } }]);
  const change = (field: string, value: string | null, who: keyof typeof people) => ({
    field,
    value,
    changed_by: { id: idOf(who), name: people[who][1] },
    changed_at: expect.any(String),
  });
  expect(plan_changes).toEqual([
    change('due_at', null, 'reviewer'),
    change('assignee', null, 'admin'),
    change('due_at', due.due_at, 'admin'),
    change('assignee', 'Ann', 'admin'),
  ]);
});

test('each act is an event with its person, once, whichever replica publishes it; a repeat is none', async () => {
  await hold();
  const other = await reviews.start();
  for (const one of [console, other, console]) {
    await one.ask('POST', path('/notes'), 'reviewer', { text: 'asked the customer' });
    await one.ask('PUT', path('/assignee'), 'admin', { assignee: 'Ann' });
    await one.ask('PUT', path('/due'), 'approver', { due_at: '2026-05-01T00:00:00Z' });
  }
  await console.ask('PUT', path('/assignee'), 'reviewer', { assignee: null });
  const own = async () => (await readTopic(console.pipeline, 'activities.recorded')).filter(({ data }) => data.subject === id());
  const acts = await vi.waitFor(
    async () => {
      const found = await own();
      expect(found.at(-1)?.data.details).toEqual([{ name: 'assignee', value: null }]);
      return found;
    },
    { timeout: 10_000 },
  );
  const detail = (name: string, value: string): object => ({ name, value });
  expect(acts.map(({ data: { action, person_id, person_name, details } }) => [action, person_id, person_name, details])).toEqual([
    ['note_added', idOf('reviewer'), 'Ann', [{ name: 'note_id', value: expect.any(String) }, detail('text', 'asked the customer')]],
    ['assigned', idOf('admin'), 'Finn', [detail('assignee', 'Ann')]],
    ['due_set', idOf('approver'), 'Cleo', [detail('due_at', '2026-05-01T00:00:00.000Z')]],
    ['assigned', idOf('reviewer'), 'Ann', [{ name: 'assignee', value: null }]],
  ]);
  expect(acts.map(({ id: event, data }) => event === data.activity_id)).toEqual([true, true, true, true]);
  expect(acts[0]?.record.headers['traceparent']).toContain(id().replaceAll('-', ''));
  await other.stop();
});

test.each<[string, string, unknown, string | undefined]>([
  ['POST', '/resolutions', { action: 'allow' }, 'reason'],
  ['POST', '/resolutions', { action: 'allow', reason: ' \n' }, 'reason'],
  ['POST', '/resolutions', { action: 'allow', reason: 'x'.repeat(4_001) }, 'reason'],
  ['POST', '/resolutions', { action: 'allow', reason: 'a\0b' }, 'reason'],
  ['POST', '/resolutions', { action: 'allow', reason: '\ud800' }, 'reason'],
  ['POST', '/resolutions', { action: 'review', reason: 'r' }, 'action'],
  ['POST', '/resolutions', { action: 'allow', reason: 'r', revison: 1 }, 'revison'],
  ['POST', '/resolutions', { action: 'allow', reason: 'r', revision: 0 }, 'revision'],
  ['POST', '/resolutions', '[]', undefined],
  ['POST', '/resolutions', '{', undefined],
  ['POST', '/approvals', { resolution_id: 'x', approve: true }, 'resolution_id'],
  ['POST', '/approvals', { resolution_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25', approve: 'yes' }, 'approve'],
  ['POST', '/reopenings', {}, 'reason'],
  ['POST', '/notes', { text: '' }, 'text'],
  ['PUT', '/assignee', { assignee: 'none' }, 'assignee'],
  ['PUT', '/assignee', { assignee: ' none\n' }, 'assignee'],
  ['PUT', '/assignee', { assignee: 'a\nb' }, 'assignee'],
  ['PUT', '/due', { due_at: 'tomorrow' }, 'due_at'],
  ['PUT', '/due', { due_at: '0000-01-01T00:00:00Z' }, 'due_at'],
])('%s %s is refused for what it says (%#)', async (method, what, body, field) => {
  const answer = await console.ask(method, path(what), 'approver', body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED', ...(field === undefined ? {} : { field }) } });
});

test.each([`/v1/reviews/x`, `/v1/reviews/${screeningId('deposit', 'nobody')}`])('404 at %s', async (at) => {
  const resolution_id = screeningId('deposit', 'none');
  for (const [method, what, body] of [
    ['GET', '', undefined],
    ['POST', '/resolutions', { action: 'allow', reason: 'r' }],
    ['POST', '/approvals', { resolution_id, approve: true }],
    ['POST', '/reopenings', { reason: 'r' }],
    ['POST', '/notes', { text: 'n' }],
    ['POST', '/attachments', { name: 'a.txt', content_base64: 'YQ==' }],
    ['PUT', '/assignee', { assignee: 'Ann' }],
    ['PUT', '/due', { due_at: null }],
  ] as const) {
    expect(await console.ask(method, `${at}${what}`, 'approver', body)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
});

test('404 for a resolution that there is not, or of another screening', async () => {
  await hold(1);
  await hold(2);
  const other = (await resolve('reviewer', {}, 2)).body.resolution_id as string;
  for (const resolution of [other, screeningId('deposit', 'none')]) {
    expect(await approve(resolution)).toMatchObject({ status: 404, body: { code: 'RESOLUTION_NOT_FOUND' } });
  }
});

test.each([
  ['kind=x', 'INVALID_KIND'],
  ['state=held', 'INVALID_STATE'],
  ['late=yes', 'INVALID_LATE'],
  ['due=soon', 'INVALID_DUE'],
  ['assignee=a%00b', 'INVALID_ASSIGNEE'],
  ['cursor=abc', 'INVALID_CURSOR'],
  ['limit=0', 'INVALID_LIMIT'],
])('a list by %s is refused', async (query, code) => {
  expect(await console.ask('GET', `/v1/reviews?${query}`, 'auditor')).toMatchObject({ status: 400, body: { code } });
});

test('of many at once, at two replicas, one resolution and one approval win', async () => {
  const other = await reviews.start();
  await hold();
  const resolved = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? console : other).ask('POST', path('/resolutions'), n % 3 === 0 ? 'reviewer' : 'reviewer-2', {
        action: 'allow',
        reason: `r${n}`,
      }),
    ),
  );
  expect(resolved.filter((one) => one.status === 201)).toHaveLength(1);
  const ids = new Set(resolved.map((one) => one.body.resolution_id));
  expect(ids.size).toBe(1);
  const [resolution_id] = ids;
  const answered = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      (n % 2 === 0 ? console : other).ask('POST', path('/approvals'), n % 3 === 0 ? 'approver' : 'approver-2', {
        resolution_id,
        approve: n % 2 === 0,
      }),
    ),
  );
  // The winner may have sent several requests.
  const won = new Set(answered.filter((one) => one.status === 200).map((one) => one.body.state));
  expect(won.size).toBe(1);
  await vi.waitFor(async () => expect(await resolutions(console)).toHaveLength(won.has('approved') ? 1 : 0));
});

async function exported(query: string): Promise<Record<string, string>[]> {
  const answer = await console.fetch(`/v1/exports/reviews${query}`, 'auditor');
  expect([answer.status, answer.headers.get('x-weir-cut')]).toEqual([200, 'false']);
  return parse(await answer.text(), { columns: true });
}

test('the queue is exported as it is filtered, with who resolved what', async () => {
  await hold(1, '250');
  await hold(2, '9000');
  await resolve('reviewer', { action: 'block' }, 2);
  const rows = await exported('?sort=value&min_usd=100');
  expect(rows.map(({ screening_id, state, usd_value, resolved_with }) => [screening_id, state, usd_value, resolved_with])).toEqual([
    [id(2), 'pending_approval', '9000', 'block'],
    [id(1), 'open', '250', ''],
  ]);
  expect(rows[0]?.['resolved_by']).not.toBe('');
  expect(await exported('?state=open')).toHaveLength(1);
  expect((await console.fetch('/v1/exports/reviews?limit=5', 'auditor')).status).toBe(400);
});
