import { systemClock } from '@weir/clock';
import { eventId, screeningId } from '@weir/contracts';
import { roles } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decided, gateRole, lowerCase, mixedCase, openGate, withdrawal } from './gate.testing.ts';
import { readWait } from './routes/prefer.ts';

const seats = 30;

// One stack for all: each test has withdrawals of its own.
let stack: TestStack;
let gate: Awaited<ReturnType<typeof openGate>>;
let other: typeof gate;
beforeAll(async () => {
  stack = await openTestStack({ roles: [gateRole] });
  gate = await openGate(stack, { gateMaxWaiters: seats });
  other = await openGate(stack);
});
afterAll(async () => {
  await gate.close();
  await other.close();
  await stack.close();
});

let count = 0;
const newId = (): string => `w/${++count} ü`;
const { requested_at: _at, chain: _chain, ...given } = withdrawal;
const send = (body: unknown, headers: Record<string, string> = {}, role = 'gate') =>
  gate.ask('POST', '/v1/withdrawals', { body, role, headers: { prefer: 'wait=0', ...headers } });
const events = async (id: string) =>
  [...(await readTopic(gate.pipeline, 'withdrawals.requested')), ...(await readTopic(gate.pipeline, 'screenings.requested'))].filter(
    ({ record }) => record.key === id,
  );

test('a withdrawal is taken in once, told of in the words of its caller, and asked to be screened by its receiver', async () => {
  const id = newId();
  const screening_id = screeningId('withdrawal', id);
  const pending = { status: 202, body: { withdrawal_id: id, screening_id, status: 'pending' } };
  expect(await gate.post({ withdrawal_id: id })).toMatchObject(pending);
  for (const over of [{}, { to_address: lowerCase }, { amount: '10', chain: 'ethereum' }, { requested_at: '2026-01-02T00:00:00+02:00' }]) {
    expect(await gate.post({ withdrawal_id: id, ...over })).toMatchObject(pending);
  }
  const conflict = { status: 409, body: { code: 'CONFLICTING_CONTENT' } };
  for (const over of [{ amount: '11' }, { to_address: `0x${'1'.repeat(40)}` }, { coin: 'ETH' }, { user_id: 'u-2' }, { usd_value: null }]) {
    expect(await gate.post({ withdrawal_id: id, ...over })).toMatchObject(conflict);
  }
  expect(await gate.get(id)).toMatchObject({ ...pending, status: 200 });
  await caughtUp(gate.pipeline, 'withdrawal-gate');
  const ids = new Map((await events(id)).map((event) => [event.id, event.data]));
  expect([...ids.keys()].sort()).toEqual(
    [eventId('withdrawals.requested', screening_id), eventId('screenings.requested', screening_id, 1)].sort(),
  );
  expect(ids.get(eventId('withdrawals.requested', screening_id))).toMatchObject({ to_address: mixedCase, amount: '10.0' });
  expect(ids.get(eventId('screenings.requested', screening_id, 1))).toMatchObject({ direction: 'withdraw', subject: lowerCase });
});

test('of fifty posts at once at two replicas there is one withdrawal', async () => {
  const id = newId();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 ? gate : other).post({ withdrawal_id: id })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  await caughtUp(gate.pipeline, 'withdrawal-gate');
  expect(new Set((await events(id)).map((event) => event.id)).size).toBe(2);
});

describe('what is malformed is refused with the name of its field:', () => {
  test.each<[string, unknown, string]>([
    ...['withdrawal_id', 'coin', 'to_address', 'amount'].map((field): [string, unknown, string] => [
      `no ${field}`,
      Object.fromEntries(Object.entries(given).filter(([name]) => name !== field)),
      field,
    ]),
    ['an empty id', { ...given, withdrawal_id: '' }, 'withdrawal_id'],
    ['a long id', { ...given, withdrawal_id: 'x'.repeat(129) }, 'withdrawal_id'],
    ['a NUL', { ...given, withdrawal_id: 'a\0b' }, 'withdrawal_id'],
    ['a number as amount', { ...given, amount: 1.5 }, 'amount'],
    ['a field nobody knows', { ...given, usd_vaule: '1' }, 'usd_vaule'],
    ['a chain that does not fit the coin', { ...given, chain: 'tron' }, 'chain'],
    ['a time without its zone', { ...given, requested_at: '2026-01-01T00:00:00' }, 'requested_at'],
  ])('%s', async (_, body, field) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED', field } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  test.each(['', '{', '[]', 'null'])('%s, which has no field', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'MALFORMED' } });
  });

  test('too much, and another type', async () => {
    expect(await send({ ...given, user_id: 'x'.repeat(70_000) })).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
    expect(await send(given, { 'content-type': 'text/plain' })).toMatchObject({ status: 415, body: { code: 'NOT_JSON' } });
    const redeem = (headers: object, body: unknown) => gate.ask('POST', '/v1/permits/redeem', { body, headers: { ...headers } });
    expect(await redeem({ 'content-type': 'text/plain' }, {})).toMatchObject({ status: 415 });
    expect(await redeem({}, { permit: 'x'.repeat(70_000) })).toMatchObject({ status: 413 });
    expect(await redeem({}, { permit: 'x' })).toMatchObject({ status: 400, body: { field: 'chain' } });
    expect(await redeem({}, { permit: 'x', chain: 'c', coin: 'c', to_address: 'a', amount: '1', amuont: '1' })).toMatchObject({
      status: 400,
      body: { field: 'amuont' },
    });
  });
});

describe('what cannot be is refused, with its field and a hint, and nothing is screened:', () => {
  const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  test.each<[string, Record<string, unknown>, string, string, string | undefined]>([
    ['a coin without its chain', { coin: 'USDT' }, 'UNSUPPORTED_COIN', 'coin', 'USDT-ERC20 or USDT-TRC20?'],
    ['a misspelt coin, with the chain named', { coin: 'USDTT', chain: 'tron' }, 'UNSUPPORTED_COIN', 'coin', 'USDT-TRC20?'],
    ['a coin nobody knows', { coin: 'XYZ' }, 'UNSUPPORTED_COIN', 'coin', undefined],
    ['no coin', { coin: '' }, 'INVALID_TRANSFER', 'coin', undefined],
    ['an address of another chain', { to_address: tron }, 'INVALID_TRANSFER', 'to_address', 'USDT-TRC20?'],
    [
      'an address with a typing error',
      { to_address: mixedCase.replace('C6c', 'c6C') },
      'INVALID_TRANSFER',
      'to_address',
      'its checksum does not match: a character is wrong',
    ],
    ['an address that is none', { to_address: 'somewhere' }, 'INVALID_TRANSFER', 'to_address', undefined],
    ['no address', { to_address: '' }, 'INVALID_TRANSFER', 'to_address', undefined],
    ['an amount that is none', { amount: '1e18' }, 'INVALID_TRANSFER', 'amount', undefined],
    ['an amount below zero', { amount: '-1' }, 'INVALID_TRANSFER', 'amount', undefined],
    ['an amount of zero', { amount: '0.0' }, 'INVALID_TRANSFER', 'amount', undefined],
    ['an amount below the smallest unit', { amount: '1.0000001' }, 'INVALID_TRANSFER', 'amount', undefined],
    ['a memo on a chain without memos', { memo: '1234' }, 'INVALID_TRANSFER', 'memo', 'leave it out'],
    [
      'a tag that is no number',
      { coin: 'XRP', to_address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', memo: 'invoice' },
      'INVALID_TRANSFER',
      'memo',
      undefined,
    ],
  ])('%s', async (_, over, code, field, hint) => {
    const id = newId();
    const answer = await gate.post({ withdrawal_id: id, ...over });
    expect(answer).toMatchObject({ status: 422, body: { status: 422, code, field } });
    expect(answer.body.hint).toBe(hint);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await gate.get(id)).toMatchObject({ status: 404 });
    expect(await gate.post({ withdrawal_id: id, memo: null })).toMatchObject({ status: 202 });
  });

  test.each<[string, string, Partial<typeof withdrawal>]>([
    ['a coin nobody knows', 'UNSUPPORTED_COIN', { coin: 'USDT' }],
    ['an address of another chain', 'INVALID_TRANSFER', { to_address: tron }],
    ['an amount of zero', 'INVALID_TRANSFER', { amount: '0.0' }],
    ['an amount below the smallest unit', 'INVALID_TRANSFER', { amount: '1.0000001' }],
  ])('but from the topic it is accepted, and requested with its fault: %s', async (_, fault, over) => {
    const id = newId();
    await publishTo(gate.pipeline, 'withdrawals.requested', { ...withdrawal, withdrawal_id: id, coin: 'USDT-ERC20', ...over });
    await caughtUp(gate.pipeline, 'withdrawal-gate');
    expect((await events(id)).flatMap(({ data }) => ('fault' in data ? [data.fault] : []))).toContain(fault);
    expect((await gate.get(id)).body).toMatchObject({ status: 'pending' });
  });
});

test('an answer says why, by the decision in force', async () => {
  const id = newId();
  const screening_id = screeningId('withdrawal', id);
  expect((await gate.post({ withdrawal_id: id })).body).toMatchObject({ screening_id, status: 'pending', reason_codes: [], rule: null });
  await gate.decide(decided(id, 1, 'review', { reason_codes: ['LEVEL_HIGH', 'RULE:large'], rule: 'large' }));
  const held = { screening_id, status: 'held', revision: 1, reason_codes: ['LEVEL_HIGH', 'RULE:large'], rule: 'large' };
  expect((await gate.get(id)).body).toEqual({ withdrawal_id: id, ...held });
  await gate.decide(decided(id, 2, 'allow', { reason_codes: ['REVIEWED'] }));
  expect((await gate.get(id)).body).toMatchObject({ status: 'allowed', reason_codes: ['REVIEWED'], rule: null });
});

test('reasons of a revision that the previous version has replaced are not told', async () => {
  const id = newId();
  await gate.settle(id, 'review');
  await stack.db.pool.query("UPDATE gate.withdrawals SET status = 'blocked', revision = 2 WHERE withdrawal_id = $1", [id]);
  expect((await gate.get(id)).body).toMatchObject({ status: 'blocked', revision: 2, reason_codes: [], rule: null });
});

test('a decision about another transfer holds, and says so', async () => {
  const id = newId();
  await gate.post({ withdrawal_id: id });
  await gate.decide(decided(id, 1, 'allow', { transfer: { ...decided(id, 1, 'allow').transfer, amount: '11' } }));
  expect((await gate.get(id)).body).toMatchObject({ status: 'held', reason_codes: ['DECISION_MISMATCH'] });
});

test('all that cannot be is told at once', async () => {
  const answer = await gate.post({ to_address: 'somewhere', amount: '0', memo: '7' });
  expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'to_address' }, { field: 'amount' }, { field: 'memo' }] } });
});

describe('who may', () => {
  test.each(roles)('%s', async (role) => {
    const isMachine = role === 'gate' || role === 'admin';
    expect((await send({ ...given, withdrawal_id: newId() }, {}, role)).status).toBe(isMachine ? 202 : 403);
    expect((await gate.ask('GET', '/v1/withdrawals/none', { role })).status).toBe(role === 'ingest' ? 403 : 404);
    expect((await gate.ask('POST', '/v1/permits/redeem', { role, body: {} })).status).toBe(isMachine ? 400 : 403);
  });

  test('nobody without a token: 401, whatever the body', async () => {
    for (const [method, path] of [
      ['POST', '/v1/withdrawals'],
      ['GET', '/v1/withdrawals/w-1'],
      ['POST', '/v1/permits/redeem'],
    ] as const) {
      const options = { role: '', ...(method === 'POST' ? { body: 'x'.repeat(70_000) } : {}) };
      expect(await gate.ask(method, path, options)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    }
    expect(await gate.ask('GET', '/.well-known/jwks.json', { role: '' })).toMatchObject({ status: 200 });
  });
});

test.each(['none', 'a\0b', '%', 'x'.repeat(5_000)])('of %j nobody has asked: 404', async (id) => {
  expect(await gate.get(id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test.each<[string | undefined, number, boolean]>([
  [undefined, 10, false],
  ['', 10, false],
  ['wait=3', 3, true],
  ['wait=0', 0, true],
  ['wait=61', 60, true],
  ['wait=999999999', 60, true],
  ['WAIT = "7"', 7, true],
  ['respond-async, wait=4', 4, true],
  ['wait=4; foo=1', 4, true],
  ['wait=2, wait=9', 2, true],
  ['wait=-1', 10, false],
  ['wait=1.5', 10, false],
  ['wait=99999999999999999999', 60, true],
  ['waiting=3', 10, false],
  ['return=minimal', 10, false],
])('Prefer: %s is %i s', (prefer, seconds, isAsked) => expect(readWait(prefer)).toEqual({ seconds, isAsked }));

const seated = (id: string, n = 1) =>
  // From outside: the withdrawal is there, so whoever posted it waits.
  vi.waitFor(
    async () => expect((await stack.db.pool.query('SELECT FROM gate.withdrawals WHERE withdrawal_id = $1', [id])).rowCount).toBe(n),
    10_000,
  );

describe('waiting', () => {
  test('ends with the decision, whichever replica hears of it', async () => {
    for (const [action, status] of [
      ['allow', 'allowed'],
      ['review', 'held'],
      ['block', 'blocked'],
    ] as const) {
      const id = newId();
      const answers = [gate, other].map((replica) => replica.post({ withdrawal_id: id }, 'wait=50'));
      await seated(id);
      await systemClock.sleep(100);
      await gate.decide(decided(id, 1, action));
      for (const answer of await Promise.all(answers)) {
        expect(answer).toMatchObject({ status: 200, body: { status } });
        expect('permit' in answer.body).toBe(action === 'allow');
        expect(answer.headers.get('preference-applied')).toBe('wait=50');
      }
    }
  });

  test('ends when its time is over, with 202; and without being asked for it is not spoken of', async () => {
    const id = newId();
    const began = systemClock.monotonic();
    const answer = await gate.post({ withdrawal_id: id }, 'wait=1');
    expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } });
    expect(answer.headers.get('preference-applied')).toBe('wait=1');
    expect(systemClock.monotonic() - began).toBeGreaterThanOrEqual(1_000);
    await gate.decide(decided(id, 1, 'review'));
    expect((await gate.post({ withdrawal_id: id }, '')).headers.get('preference-applied')).toBeNull();
  });

  test('ends with the caller: who has gone leaves no seat taken, and who finds none is answered before the time is over', async () => {
    const gone = new AbortController();
    const began = systemClock.monotonic();
    // One caller more than there are seats: the first answer comes when the others have taken all of them.
    const answers = Array.from({ length: seats + 1 }, () =>
      gate
        .ask('POST', '/v1/withdrawals', {
          body: { ...given, withdrawal_id: newId() },
          headers: { prefer: 'wait=60' },
          signal: gone.signal,
        })
        .then(({ status }) => String(status))
        .catch(() => 'gone'),
    );
    expect(await Promise.race(answers)).toBe('202');
    expect(systemClock.monotonic() - began).toBeLessThan(60_000);
    gone.abort();
    expect((await Promise.all(answers)).toSorted()).toEqual(['202', ...Array.from({ length: seats }, () => 'gone')]);
    await vi.waitFor(async () => {
      const asked = systemClock.monotonic();
      expect(await gate.post({ withdrawal_id: newId() }, 'wait=3')).toMatchObject({ status: 202 });
      expect(systemClock.monotonic() - asked).toBeGreaterThanOrEqual(3_000);
    });
  });

  test('ends when the gate goes down', async () => {
    const third = await openGate(stack);
    const id = newId();
    const answer = third.post({ withdrawal_id: id }, 'wait=60');
    await seated(id);
    await systemClock.sleep(300);
    await third.stop();
    expect(await answer).toMatchObject({ status: 202, body: { status: 'pending' } });
    await third.close();
  });

  test('outlives the connection that decisions are told by', async () => {
    const id = newId();
    const answer = gate.post({ withdrawal_id: id }, 'wait=50');
    await seated(id);
    // Every session that listens, and only those, hold LISTEN as their last word.
    await stack.db.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query LIKE 'UPDATE weir.sessions%')",
    );
    await publishTo(other.pipeline, 'screenings.decided', decided(id, 1, 'allow'));
    expect(await answer).toMatchObject({ status: 200, body: { status: 'allowed' } });
  });
});

test.each([-86_400_000 - 3_600_000, 600_000])(
  'a gate whose clock is %d ms off takes withdrawals by the time of the database',
  async (offMs) => {
    const off = await openGate(stack, {}, { clock: { ...systemClock, now: () => systemClock.now() + offMs } });
    const [unnamed, named] = [newId(), newId()];
    expect(await off.post({ withdrawal_id: unnamed })).toMatchObject({ status: 202 });
    expect(await off.post({ withdrawal_id: named, requested_at: new Date().toISOString() })).toMatchObject({ status: 202 });
    const requests = (await readTopic(off.pipeline, 'screenings.requested')).map(({ data }) => data);
    for (const id of [unnamed, named]) expect(requests.find(({ transfer }) => transfer.source_id === id)?.fault).toBe(null);
    await off.stop();
    await off.close();
  },
);

test('a backdated withdrawal, and one of a time to come, is refused with the field, and the same again is not', async () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  for (const ms of [-25 * 3_600_000, 6 * 60_000]) {
    const answer = await gate.post({ withdrawal_id: newId(), requested_at: at(ms) });
    expect(answer).toMatchObject({ status: 422, body: { code: 'INVALID_TRANSFER', field: 'requested_at' } });
  }
  const id = newId();
  expect(await gate.post({ withdrawal_id: id, requested_at: at(-23 * 3_600_000) })).toMatchObject({ status: 202 });
  expect(await gate.post({ withdrawal_id: id, requested_at: at(-48 * 3_600_000) })).toMatchObject({ status: 202 });
});
