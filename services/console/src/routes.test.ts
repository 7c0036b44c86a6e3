import { screeningId } from '@weir/contracts';
import type { Role } from '@weir/service-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decided, receiver, requested, scored, sender, type TestEvent } from './events.testing.ts';
import { screeningOperations } from './routes.ts';
import { openTestApi, type TestApi } from './routes.testing.ts';
import type { ScreeningView } from './view.ts';

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi(screeningOperations);
  await take(Array.from({ length: 60 }, (_, n) => requested('deposit', n)));
  await take([scored('deposit', 1), decided('deposit', 1, { action: 'review' }), decided('deposit', 1, { revision: 2, supersedes: 1 })]);
  await take([
    requested('withdrawal', 70),
    scored('withdrawal', 70, { score: 3, risk_level: 'Low' }),
    decided('withdrawal', 70, { action: 'allow' }),
  ]);
  await take([requested('deposit', 80, { subject: sender, subject_type: 'address' })]);
  await take([requested('deposit', 81, { subject: 'TQrY8tryqsYVCYS3MFbtffiPp2ccyn4STm', subject_type: 'address' })]);
});
afterAll(() => api.close());

const take = (events: readonly TestEvent[]) => api.take(events);
const get = (path: string, token?: string) => api.get(path, token);
const list = async (query: string): Promise<{ items: ScreeningView[]; next_cursor: string | null }> =>
  (await get(`/v1/screenings?${query}`)).json() as never;
const ids = ({ items }: { items: ScreeningView[] }) => items.map(({ transfer }) => transfer.deposit_id ?? transfer.withdrawal_id);

test('one screening reads as documented', async () => {
  const answer = await get(`/v1/screenings/${screeningId('deposit', 'deposit-1').toUpperCase()}`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    screening_id: screeningId('deposit', 'deposit-1'),
    kind: 'deposit',
    status: 'blocked',
    transfer: {
      deposit_id: 'deposit-1',
      chain: 'ethereum',
      coin: 'ETH',
      txid: `0x${'1'.padStart(64, 'a')}`,
      from_address: sender,
      to_address: receiver,
      amount: '144835.998000000000000001',
      usd_value: null,
      user_id: 'u-1',
      detected_at: '2026-01-01T00:00:00.500Z',
    },
    subject: `0x${'1'.padStart(64, 'a')}`,
    subject_type: 'txid',
    direction: 'deposit',
    result: {
      outcome: 'SCORED',
      score: 95,
      risk_level: 'Severe',
      reasons: [],
      detail_list: ['Mixer'],
      risk_detail: [{ entity: 'Mixer X', risk_type: 'mixer', exposure_type: 'direct', hop_num: 1, volume: 12.5, percent: 40, side: null }],
      address_label: '',
      hacking_event: '',
      scanned_ts: 1_767_225_600,
      provider: 'risk.example',
      evidence_sha256: '44136f',
      scored_at: '2026-01-01T00:00:00.000Z',
      reused: false,
    },
    decisions: [
      {
        revision: 1,
        action: 'review',
        reason_codes: ['LEVEL_SEVERE'],
        rule: null,
        policy_hash: 'c0ffee',
        decided_at: '2026-01-01T00:00:01.250Z',
        supersedes: null,
        resolution_id: null,
      },
      {
        revision: 2,
        action: 'block',
        reason_codes: ['LEVEL_SEVERE'],
        rule: null,
        policy_hash: 'c0ffee',
        decided_at: '2026-01-01T00:00:01.250Z',
        supersedes: 1,
        resolution_id: null,
      },
    ],
    results: [{ outcome: 'SCORED', score: 95, risk_level: 'Severe', provider: 'risk.example', reported_at: '2026-01-01T00:00:00.000Z' }],
    requested_at: '2026-01-01T00:00:01.000Z',
    deadline_at: '2026-01-01T00:10:01.000Z',
    audit: [],
  });
});

test('a withdrawal has its own names, and one without an answer is open', async () => {
  expect((await list('kind=withdrawal')).items[0]?.transfer).toMatchObject({
    withdrawal_id: 'withdrawal-70',
    txid: null,
    requested_at: '2026-01-01T00:01:09.500Z',
  });
  expect((await list('limit=1')).items[0]).toMatchObject({ status: 'open', result: null, decisions: [] });
});

describe('a list', () => {
  test('is newest first, fifty at once, and is read to its end by the cursor', async () => {
    const first = await list('cursor=');
    expect(ids(first).slice(0, 4)).toEqual(['deposit-81', 'deposit-80', 'withdrawal-70', 'deposit-59']);
    expect(first.items).toHaveLength(50);
    const second = await list(`cursor=${first.next_cursor}`);
    expect(second.items).toHaveLength(13);
    expect(second.next_cursor).toBeNull();
    expect(new Set([...ids(first), ...ids(second)]).size).toBe(63);
  });

  test('has pages that stay what they are while newer screenings arrive', async () => {
    const first = await list('limit=5');
    await take([requested('withdrawal', 90), requested('withdrawal', 91)]);
    const seen = [...ids(first), ...ids(await list(`limit=5&cursor=${first.next_cursor}`))];
    expect(seen).toEqual(['deposit-81', 'deposit-80', 'withdrawal-70', ...[59, 58, 57, 56, 55, 54, 53].map((n) => `deposit-${n}`)]);
    await api.db.pool.query('DELETE FROM console.screenings WHERE screening_id = ANY($1)', [
      [90, 91].map((n) => screeningId('withdrawal', `withdrawal-${n}`)),
    ]);
  });

  test('orders screenings of one moment, none lost between pages', async () => {
    await take([200, 201, 202, 203, 204].map((n) => requested('withdrawal', n, { requested_at: 0 })));
    const found = new Set<unknown>();
    let cursor = '';
    do {
      const page = await list(`kind=withdrawal&limit=2&cursor=${cursor}`);
      for (const id of ids(page)) found.add(id);
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(found).toEqual(new Set([70, 200, 201, 202, 203, 204].map((n) => `withdrawal-${n}`)));
    await api.db.pool.query('DELETE FROM console.screenings WHERE requested_at = to_timestamp(0)');
  });

  test('goes on by the cursor at any time that a request may have', async () => {
    const times = [Date.parse('0001-01-01T00:00:00Z'), -1, Date.parse('9999-12-31T23:59:59.999Z')];
    await take(times.map((requested_at, n) => requested('withdrawal', 300 + n, { requested_at })));
    const found: unknown[] = [];
    let cursor = '';
    do {
      const page = await list(`kind=withdrawal&limit=1&cursor=${cursor}`);
      found.push(...ids(page));
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(found).toEqual([302, 70, 301, 300].map((n) => `withdrawal-${n}`));
    await api.db.pool.query("DELETE FROM console.screenings WHERE requested_at < '1971-01-01' OR requested_at > '9999-01-01'");
  });

  test.each([
    ['a transaction id of Bitcoin or TRON', 'ab'.repeat(32)],
    ['a segwit address', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['a hexadecimal address', '0x28c6c06298d514db089934071355e5743bf21d61'],
  ])('finds %s in either case, however it came', async (_, subject) => {
    await take([requested('withdrawal', 400, { subject }), requested('withdrawal', 401, { subject: subject.toUpperCase() })]);
    for (const asked of [subject, subject.toUpperCase()]) {
      expect(ids(await list(`subject=${asked}`))).toEqual(['withdrawal-401', 'withdrawal-400']);
    }
    await api.db.pool.query("DELETE FROM console.screenings WHERE kind = 'withdrawal' AND requested_at >= to_timestamp($1)", [
      Date.UTC(2026, 0, 1) / 1_000 + 400,
    ]);
  });

  test.each([
    ['kind=withdrawal', ['withdrawal-70']],
    ['action=block', ['deposit-1']],
    ['action=review', []],
    ['level=Severe&kind=deposit', ['deposit-1']],
    ['level=Low&kind=deposit', []],
    [`subject=${sender}`, ['deposit-80']],
    [`subject=${sender.toUpperCase()}`, ['deposit-80']],
    [`subject=0X${'7'.padStart(64, 'A')}`, ['deposit-7']],
    ['subject=TQrY8tryqsYVCYS3MFbtffiPp2ccyn4STm', ['deposit-81']],
    ['subject=tqrY8tryqsYVCYS3MFbtffiPp2ccyn4STm', []],
    ['subject=%25', []],
    // deposit-1 is decided, and as old.
    ['open=true&sort=oldest&until=2026-01-01T00:00:04Z', ['deposit-0', 'deposit-2', 'deposit-3']],
    ['open=true&kind=withdrawal', []],
    ['open=true&action=block', []],
    ['open=true&source_id=deposit-1', []],
    ['open=true&min_usd=0', []],
    [`open=true&subject=0X${'7'.padStart(64, 'A')}`, ['deposit-7']],
    [`open=true&sort=value&subject=${sender}`, ['deposit-80']],
    ['open=true&sort=value&action=block', []],
  ])('by %s', async (query, expected) => {
    expect(ids(await list(query))).toEqual(expected);
  });

  test('gives at most two hundred at once', async () => {
    await take(Array.from({ length: 210 }, (_, n) => requested('withdrawal', 1_000 + n)));
    expect((await list('kind=withdrawal&limit=100000')).items).toHaveLength(200);
    await api.db.pool.query("DELETE FROM console.screenings WHERE requested_at > '2026-01-01T00:10:00Z'");
  });
});

const filters = 'kind action level subject address user_id source_id txid chain coin rule reason since until min_usd max_usd open';
const known = `${filters} sort cursor limit`.split(' ');

describe('is refused with the name of what is wrong:', () => {
  test.each(['user=u-1&from=2026-01-01', 'deposit_id=d-1', 'Kind=deposit'])(
    'an unknown parameter, with the known ones: %s',
    async (query) => {
      const answer = await get(`/v1/screenings?${query}`);
      const [name = ''] = query.split('=');
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        code: 'UNKNOWN_PARAMETER',
        field: name,
        detail: expect.stringMatching(`there is no parameter ${name};.* /v1/screenings takes ${known.join(', ')}`),
        known,
      });
    },
  );

  test('all parameters at once, and a repeated one', async () => {
    const answer = await get('/v1/screenings?kind=x&kind=deposit&level=low&limit=0');
    expect(await answer.json()).toMatchObject({
      code: 'INVALID_KIND',
      errors: [
        { detail: 'kind is given more than once' },
        { detail: 'kind must be deposit or withdrawal' },
        { detail: 'level must be Low, Moderate, High or Severe' },
        { detail: 'limit must be a whole number from 1; more than 200 are not given at once' },
      ],
    });
  });

  // A caller whose variable has no value would otherwise read everything.
  test.each(known.filter((name) => name !== 'cursor'))('%s without a value', async (name) => {
    const answer = await get(`/v1/screenings?${name}=`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: `INVALID_${name.toUpperCase()}`,
      errors: [{ field: name, detail: `${name} is empty: give it a value, or leave it out` }],
    });
  });

  test.each([
    ['kind=deposits', 'INVALID_KIND'],
    ['action=Block', 'INVALID_ACTION'],
    ['level=low', 'INVALID_LEVEL'],
    ['open=false', 'INVALID_OPEN'],
    ['subject=a%00b', 'INVALID_SUBJECT'],
    [`subject=${'a'.repeat(300)}`, 'INVALID_SUBJECT'],
    ['address=a%00b', 'INVALID_ADDRESS'],
    [`user_id=${'a'.repeat(300)}`, 'INVALID_USER_ID'],
    ['since=yesterday', 'INVALID_SINCE'],
    ['until=2026-01-31', 'INVALID_UNTIL'],
    ['since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'INVALID_SINCE'],
    ['min_usd=2&max_usd=1.99', 'INVALID_MIN_USD'],
    ['min_usd=1e3', 'INVALID_MIN_USD'],
    ['min_usd=-1', 'INVALID_MIN_USD'],
    ['max_usd=1,5', 'INVALID_MAX_USD'],
    ['sort=usd', 'INVALID_SORT'],
    ['cursor=abc', 'INVALID_CURSOR'],
    [`cursor=${Buffer.from('99999999999999.16fd2706-8baf-533b-a82b-bb81c2b3ee25').toString('base64url')}x`, 'INVALID_CURSOR'],
    ['limit=0', 'INVALID_LIMIT'],
    ['limit=-1', 'INVALID_LIMIT'],
    ['limit=ten', 'INVALID_LIMIT'],
    ['limit=1.5', 'INVALID_LIMIT'],
  ])('%s', async (query, code) => {
    const answer = await get(`/v1/screenings?${query}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(await answer.json()).toMatchObject({ status: 400, code });
  });

  test.each(['x', '16fd2706-8baf-533b-a82b-bb81c2b3ee25', '%00', '%ZZ', "'--", '16fd2706-8baf-533b-a82b-bb81c2b3ee2', 'a'.repeat(5_000)])(
    'id %s',
    async (id) => {
      const answer = await get(`/v1/screenings/${id}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
      expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  test('never as a fault of ours, whatever is asked', async () => {
    const parameter = fc.tuple(
      fc.constantFrom(...known),
      fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.integer().map(String)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(parameter, { maxLength: 4 }),
        fc.string({ unit: 'binary', minLength: 1 }).filter((id) => !/^\.{1,2}$/.test(id)),
        async (query, id) => {
          const listed = await get(`/v1/screenings?${new URLSearchParams(query).toString()}`);
          expect([200, 400]).toContain(listed.status);
          const one = await get(`/v1/screenings/${encodeURIComponent(id.toWellFormed())}`);
          expect(one.status).toBe(404);
        },
      ),
      { numRuns: 150 },
    );
    expect(api.logs()).toBe('');
  });
});

test.each<[Role, number]>([
  ['reviewer', 200],
  ['approver', 200],
  ['auditor', 200],
  ['admin', 200],
  ['ingest', 403],
  ['gate', 403],
])('%s: %i', async (role, status) => {
  expect((await get('/v1/screenings', `token-${role}`)).status).toBe(status);
  expect((await get(`/v1/screenings/${screeningId('deposit', 'deposit-1')}`, `token-${role}`)).status).toBe(status);
});

test('nobody reads without a token', async () => {
  expect((await get('/v1/screenings', '')).status).toBe(401);
  expect((await get('/v1/screenings?kind=x', '')).status).toBe(401);
  expect((await get('/v1/screenings/x', '')).status).toBe(401);
});

test('a screening names its events in the audit log, by index', async () => {
  const id = screeningId('deposit', 'deposit-2');
  await api.db.pool.query(
    `CREATE SCHEMA audit; CREATE TABLE audit.positions (screening_id uuid, event_id uuid, index bigint);
     INSERT INTO audit.positions VALUES ('${id}', '16fd2706-8baf-533b-a82b-bb81c2b3ee25', 12), ('${id}', '26fd2706-8baf-533b-a82b-bb81c2b3ee25', 9)`,
  );
  expect(await (await get(`/v1/screenings/${id}`)).json()).toMatchObject({
    audit: [
      { event_id: '26fd2706-8baf-533b-a82b-bb81c2b3ee25', index: 9 },
      { event_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25', index: 12 },
    ],
  });
});
