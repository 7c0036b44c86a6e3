import { createHash } from 'node:crypto';
import { type Exposure, type ScreeningDecided, screeningId } from '@weir/contracts';
import { parse } from 'csv-parse/sync';
import { caughtUp, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decided, publish, requested, scored, start, type TestEvent } from '../events.testing.ts';
import { type Console, idOf, openReviewStack, type people, type ReviewStack } from '../reviews/reviews.testing.ts';
import { groupHolds, groupLeftHolds } from './grouping.ts';
import { escalateCases } from './store.ts';

let reviews: ReviewStack;
let console: Console;
beforeEach(async () => {
  reviews = await openReviewStack();
  console = await reviews.start();
});
afterEach(() => reviews.stack.close());

type Who = keyof typeof people;
const get = async (path: string, who: Who = 'auditor') => (await console.ask('GET', path, who)).body;
const id = (n: number): string => screeningId('deposit', `deposit-${n}`);

async function take(...events: TestEvent[]): Promise<void> {
  await publish(console.pipeline, events);
  await caughtUp(console.pipeline, 'console');
}

interface Of {
  readonly user: string | null;
  readonly from: string;
  readonly entities?: readonly string[];
  readonly usd?: string;
}

/** The events of the n-th deposit, which the policy holds. */
function hold(n: number, { user, from, entities = [], usd }: Of): TestEvent[] {
  const { data } = decided('deposit', n) as { data: ScreeningDecided };
  const transfer = { ...data.transfer, user_id: user, from_address: from, usd_value: usd ?? null };
  const risk_detail = entities.map((entity, at): Exposure => {
    return { entity, risk_type: 'mixer', exposure_type: 'direct', hop_num: 1, volume_usd: 1, percent: 50 - at, side: 'in' };
  });
  return [
    requested('deposit', n, { transfer }),
    scored('deposit', n, { transfer, score: 80, risk_level: 'High', risk_detail }),
    decided('deposit', n, { transfer, action: 'review', reason_codes: ['LEVEL_HIGH'], score: 80, risk_level: 'High' }),
  ];
}

/** Numbers of the deposits of each case, the oldest case first. */
async function grouped(): Promise<number[][]> {
  const { items } = await get('/v1/cases?limit=200');
  const numberOf = new Map(Array.from({ length: 300 }, (_, n) => [id(n), n]));
  const cases = await Promise.all(items.map(({ case_id }: { case_id: string }) => get(`/v1/cases/${case_id}`)));
  return cases
    .map(({ screenings }) => screenings.map(({ screening_id }: { screening_id: string }) => numberOf.get(screening_id)))
    .toSorted((a, b) => a[0] - b[0]);
}

async function openCase(): Promise<string> {
  await take(...hold(1, { user: 'u-1', from: '0xa1', usd: '12.50' }));
  return (await get(`/v1/reviews/${id(1)}`)).case_id;
}

describe('related holds', () => {
  test('are one case by user, counterparty or entity; what is related to another hold only is not', async () => {
    await take(
      ...hold(1, { user: 'u-1', from: '0xa1', entities: ['Thief'] }),
      ...hold(2, { user: 'u-1', from: '0xa2' }),
      ...hold(3, { user: 'u-3', from: '0xa1' }),
      ...hold(4, { user: 'u-4', from: '0xa4', entities: ['Thief', 'Bridge'] }),
      ...hold(5, { user: 'u-5', from: '0xa2' }),
      ...hold(6, { user: null, from: '0xa6', entities: ['Others (mixer)'] }),
    );
    expect(await grouped()).toEqual([[1, 2, 3, 4], [5], [6]]);
    const { items } = await get('/v1/cases');
    expect(items.find(({ holds }: { holds: number }) => holds === 4)).toMatchObject({
      state: 'open',
      keys: ['user:u-1', 'counterparty:0xa1', 'entity:Thief'],
      waiting: 4,
      usd: null,
      unknown_usd: 4,
      assignee: null,
      outcome: null,
    });
  });

  test('are put once, whichever replica reads them and however often', async () => {
    const other = await reviews.start();
    const events = Array.from({ length: 12 }, (_, n) => hold(n, { user: `u-${n % 3}`, from: `0x${n}` })).flat();
    await take(...events, ...events);
    await Promise.all([console, other].map(({ pipeline }) => groupHolds(pipeline.pool, [id(0), id(1)], { now: start, dueMs: 1 })));
    expect(await grouped()).toEqual([0, 1, 2].map((first) => [first, first + 3, first + 6, first + 9]));
    await other.stop();
  });

  test('are at most 200 in a case', async () => {
    await take(...Array.from({ length: 201 }, (_, n) => hold(n, { user: 'u-1', from: `0x${n}` })).flat());
    expect((await grouped()).map(({ length }) => length)).toEqual([200, 1]);
  });

  test('that a re-screening made of one subject are one case', async () => {
    const of = (n: number, user: string): TestEvent[] => {
      const [request, result, held] = hold(n, { user, from: `0x${n}` }) as [TestEvent, TestEvent, TestEvent];
      const transfer = { ...(held.data as ScreeningDecided).transfer, txid: '0xfeed' };
      const asked = { transfer, subject: '0xfeed', subject_type: 'txid' } as const;
      const { data } = held as { data: ScreeningDecided };
      return [
        { ...request, data: { ...request.data, ...asked } } as TestEvent,
        { ...result, data: { ...result.data, ...asked } } as TestEvent,
        decided('deposit', n, { ...data, transfer, action: 'allow' }),
        decided('deposit', n, { ...data, transfer, revision: 2, supersedes: 1, action: 'block' }),
      ];
    };
    await take(...of(1, 'u-1'), ...of(2, 'u-2'));
    expect(await grouped()).toEqual([[1, 2]]);
    expect((await get('/v1/cases')).items[0].keys).toContain('rescreened:0xfeed');
  });

  test('of an earlier version are found at the next start', async () => {
    await take(...hold(1, { user: 'u-1', from: '0xa1' }), ...hold(2, { user: 'u-1', from: '0xa1' }));
    const { pool } = console.pipeline;
    await reviews.stack.db.pool.query('TRUNCATE console.cases CASCADE');
    expect(await groupLeftHolds(pool, 1, { now: start, dueMs: 1 })).toBe(1);
    expect(await groupLeftHolds(pool, 10, { now: start, dueMs: 1 })).toBe(1);
    expect(await groupLeftHolds(pool, 10, { now: start, dueMs: 1 })).toBe(0);
    expect(await grouped()).toEqual([[1, 2]]);
  });

  test('of a closed case open another, also the same transfer that is held again', async () => {
    const first = await openCase();
    const closed = { outcome: 'false_positive', reason: 'the label was of another address' };
    expect((await console.ask('PUT', `/v1/cases/${first}/outcome`, 'reviewer', closed)).body).toMatchObject({
      state: 'closed',
      outcome: 'false_positive',
      outcome_reason: closed.reason,
      outcome_by: { id: idOf('reviewer'), name: 'Ann' },
    });
    await take(...hold(2, { user: 'u-1', from: '0xa1' }));
    expect(await grouped()).toEqual([[1], [2]]);
    const [, , held] = hold(1, { user: 'u-1', from: '0xa1' }) as [TestEvent, TestEvent, { data: ScreeningDecided }];
    await take(decided('deposit', 1, { ...held.data, revision: 2, supersedes: 1 }));
    const { case_id: second } = await get(`/v1/reviews/${id(1)}`);
    expect(second).not.toBe(first);
    expect((await get(`/v1/cases/${second}`)).screenings.map((one: { screening_id: string }) => one.screening_id)).toEqual([id(1), id(2)]);
    expect((await get('/v1/cases?state=closed')).items.map(({ case_id }: { case_id: string }) => case_id)).toEqual([first]);
    expect((await get('/v1/cases?outcome=filed')).items).toEqual([]);
  });
});

test('assignee, note, due time and outcome are kept, and each is an event with its person', async () => {
  const caseId = await openCase();
  const path = `/v1/cases/${caseId}`;
  expect(await get(path)).toMatchObject({ holds: 1, usd: '12.50', unknown_usd: 0, screenings: [{ level: 'High', counterparty: '0xa1' }] });
  const due = '2027-05-01T00:00:00.000Z';
  const acts: [Who, string, string, object][] = [
    ['admin', 'PUT', 'assignee', { assignee: 'Ann' }],
    ['reviewer', 'POST', 'notes', { text: 'asked the customer' }],
    ['reviewer', 'PUT', 'due', { due_at: due }],
    ['approver', 'PUT', 'outcome', { outcome: 'filed', reason: 'reported' }],
  ];
  for (const [who, method, what, body] of [...acts, ...acts])
    expect((await console.ask(method, `${path}/${what}`, who, body)).status).toBeLessThan(300);
  expect(await get(path)).toMatchObject({
    assignee: 'Ann',
    due_at: due,
    outcome: 'filed',
    notes: [{ text: 'asked the customer', written_by: { id: idOf('reviewer'), name: 'Ann' } }],
  });
  expect((await get('/v1/cases?assignee=none')).items).toEqual([]);
  const late = await console.ask('PUT', `${path}/assignee`, 'reviewer', { assignee: 'Ben', expected_assignee: null });
  expect(late).toMatchObject({ status: 409, body: { code: 'REASSIGNED', assignee: 'Ann' } });
  await vi.waitFor(
    async () => {
      const events = (await readTopic(console.pipeline, 'activities.recorded')).filter(({ data }) => data.subject === caseId);
      expect(events.map(({ data: { action, subject_type, person_id } }) => [action, subject_type, person_id])).toEqual([
        ['assigned', 'case', idOf('admin')],
        ['note_added', 'case', idOf('reviewer')],
        ['due_set', 'case', idOf('reviewer')],
        ['outcome_set', 'case', idOf('approver')],
      ]);
      expect(events.at(-1)?.data.details).toEqual([
        { name: 'outcome', value: 'filed' },
        { name: 'reason', value: 'reported' },
      ]);
    },
    { timeout: 10_000 },
  );
  const reopened = await console.ask('PUT', `${path}/outcome`, 'approver', { outcome: null, reason: 'the customer objects' });
  expect(reopened.body).toMatchObject({ state: 'open', outcome: null, outcome_by: null });
});

test('an open case past its due time is escalated once; a time to come ends that', async () => {
  const caseId = await openCase();
  const { pool } = console.pipeline;
  const dueAt = Date.parse((await get(`/v1/cases/${caseId}`)).due_at);
  expect(await escalateCases(pool, dueAt)).toBe(0);
  expect([await escalateCases(pool, dueAt + 1), await escalateCases(pool, dueAt + 2)]).toEqual([1, 0]);
  const escalated = async () => (await get('/v1/cases?escalated=true')).items.map(({ case_id }: { case_id: string }) => case_id);
  expect(await escalated()).toEqual([caseId]);
  expect(await console.pipeline.metrics.scrape()).toContain('weir_cases_open{escalated="true"} 1');
  await console.ask('PUT', `/v1/cases/${caseId}/due`, 'reviewer', { due_at: new Date(dueAt + 86_400_000).toISOString() });
  expect(await escalated()).toEqual([]);
});

describe.each([
  ['case', async () => `/v1/cases/${await openCase()}`],
  ['screening', () => openCase().then(() => `/v1/reviews/${id(1)}`)],
] as const)('attachments of a %s', (kind, open) => {
  const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
  const send = async (path: string, content: Buffer | string, name = 'statement.pdf', who: Who = 'reviewer') =>
    console.ask('POST', `${path}/attachments`, who, { name, content_base64: Buffer.from(content).toString('base64') });

  test('have type and hash of their content, whatever the name says, and are kept once', async () => {
    const path = await open();
    const added = await send(path, png);
    const sha256 = createHash('sha256').update(png).digest('hex');
    expect(added).toMatchObject({ status: 201, body: { name: 'statement.pdf', type: 'image/png', bytes: png.length, sha256 } });
    expect(await send(path, png, 'again.png')).toEqual({ status: 200, body: added.body });
    expect((await send(path, '%PDF-1.7 …')).body.type).toBe('application/pdf');
    expect((await send(path, Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).body.type).toBe('image/jpeg');
    expect((await send(path, 'a;b\r\nÄ;1')).body.type).toBe('text/plain');
    expect((await get(path)).attachments).toHaveLength(4);
    const answer = await console.fetch(`${path}/attachments/${added.body.attachment_id}`, 'auditor');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);
    expect(['content-type', 'content-disposition', 'x-content-type-options'].map((header) => answer.headers.get(header))).toEqual([
      'application/octet-stream',
      "attachment; filename*=UTF-8''statement.pdf",
      'nosniff',
    ]);
    await vi.waitFor(
      async () => {
        const events = (await readTopic(console.pipeline, 'activities.recorded')).filter(({ data }) => data.action === 'attachment_added');
        expect(events).toHaveLength(4);
        expect(events[0]?.data.subject_type).toBe(kind);
        expect(events[0]?.data.details).toContainEqual({ name: 'sha256', value: sha256 });
      },
      { timeout: 10_000 },
    );
  });

  test.each<[string, Buffer | string, number, string]>([
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 422, 'UNSUPPORTED_TYPE'],
    ['an archive', Buffer.from('PK\x03\x04', 'latin1'), 422, 'UNSUPPORTED_TYPE'],
    ['nothing', '', 400, 'MALFORMED'],
    ['more than 2 MiB', Buffer.alloc(2 * 1024 * 1024 + 1, 'a'), 400, 'MALFORMED'],
    ['far more than 2 MiB', Buffer.alloc(4 * 1024 * 1024, 'a'), 413, 'BODY_TOO_LARGE'],
  ])('%s is refused, and nothing is kept', async (_, content, status, code) => {
    const path = await open();
    expect(await send(path, content)).toMatchObject({ status, body: { code } });
    expect((await get(path)).attachments).toEqual([]);
  });

  test('of 2 MiB are taken, and ten in all', async () => {
    const path = await open();
    expect((await send(path, Buffer.alloc(2 * 1024 * 1024, 'a'))).status).toBe(201);
    const others = await Promise.all(Array.from({ length: 12 }, (_, n) => send(path, `text ${n}`)));
    expect(others.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(9).fill(201), ...Array(3).fill(409)]);
    expect(others.find(({ status }) => status === 409)?.body.code).toBe('TOO_MANY_ATTACHMENTS');
  });
});

test.each<[string, string, object]>([
  ['PUT', 'assignee', { assignee: 'Ann' }],
  ['PUT', 'due', { due_at: null }],
  ['PUT', 'outcome', { outcome: 'filed', reason: 'reported' }],
  ['POST', 'notes', { text: 'a note' }],
  ['POST', 'attachments', { name: 'a.txt', content_base64: 'YQ==' }],
])('%s %s is for people who review, and for a known case', async (method, what, body) => {
  const caseId = await openCase();
  const ask = async (who: Who, of: string) => (await console.ask(method, `/v1/cases/${of}/${what}`, who, body)).status;
  expect(await Promise.all([ask('auditor', caseId), ask('gate', caseId), ask('reviewer', id(1)), ask('reviewer', 'x')])).toEqual([
    403, 403, 404, 404,
  ]);
});

test.each<[string, object, string]>([
  ['outcome', { outcome: 'guilty', reason: 'r' }, 'outcome'],
  ['outcome', { outcome: 'filed' }, 'reason'],
  ['outcome', { outcome: 'filed', reason: ' ' }, 'reason'],
  ['assignee', { assignee: 'none' }, 'assignee'],
])('%s %j is refused', async (what, body, field) => {
  const caseId = await openCase();
  expect(await console.ask('PUT', `/v1/cases/${caseId}/${what}`, 'reviewer', body)).toMatchObject({ status: 400, body: { field } });
});

test('cases are exported as they are filtered', async () => {
  const caseId = await openCase();
  const exported = async (state: string): Promise<unknown> =>
    parse(await (await console.fetch(`/v1/exports/cases?state=${state}`, 'auditor')).text(), { columns: true });
  expect(await exported('open')).toEqual([
    expect.objectContaining({ case_id: caseId, state: 'open', holds: '1', usd: '12.50', assignee: '', outcome_by: '' }),
  ]);
  expect(await exported('closed')).toEqual([]);
});
