import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { systemClock } from '@weir/clock';
import { eventId, screeningFault, screeningId } from '@weir/contracts';
import { createApp, createLogger, type Pipeline, type RunningServer, roles, serve, storeToken } from '@weir/service-kit';
import {
  caughtUp,
  deadLetters,
  openTestStack,
  type TestRole,
  type TestService,
  type TestStack,
  publishTo,
  readTopic,
  withLogElsewhere,
} from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { intakeMigrations, startDepositIngest } from './index.ts';

let stack: TestStack;
let replica: TestService;
const servers: RunningServer[] = [];
let url: string;
beforeEach(async () => {
  stack = await openTestStack({ roles: [ownRole] });
  replica = await start();
  for (const role of roles) await storeToken(stack.db.pool, `token-${role}`, role, role);
  url = await listen(replica);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await stack.close();
});

const ownRole: TestRole = { service: 'deposit-ingest', modules: { intake: intakeMigrations } };
const start = (over = (pipeline: Pipeline): Pipeline => pipeline) =>
  stack.service((pipeline) => startDepositIngest(over(pipeline), { depositDeadlineMs: 600_000 }), { role: ownRole });

async function listen({ service }: TestService): Promise<string> {
  const app = createApp(createLogger({ service: 'test', level: 'silent' }), service.operations);
  const server = await serve(app, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const deposit = {
  deposit_id: 'd-1',
  coin: 'ETH',
  txid: `0x${'ab'.repeat(32)}`,
  from_address: '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '1.5',
  usd_value: '4000',
  user_id: 'u-1',
  memo: null,
  detected_at: '2026-01-01T00:00:00Z',
};
const mixedCase = '0x28C6c06298d514Db089934071355E5743bf21d60';
const accepted = { screening_id: screeningId('deposit', 'd-1') };

type Body = string | Buffer | ReadableStream;

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Record<string, unknown>;
}

async function send(body: Body, headers: Record<string, string> = {}, to = url): Promise<Answer> {
  const answer = await fetch(`${to}/v1/deposits`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-ingest', 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  });
  return { status: answer.status, type: answer.headers.get('content-type'), body: (await answer.json()) as Record<string, unknown> };
}
const post = (body: unknown, to = url): Promise<Answer> => send(JSON.stringify(body), {}, to);
const without = (...names: string[]): unknown => Object.fromEntries(Object.entries(deposit).filter(([name]) => !names.includes(name)));

const statuses = (answers: readonly Answer[]): Record<number, number> =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );
const detected = () => readTopic(replica.pipeline, 'deposits.detected');
const requested = () => readTopic(replica.pipeline, 'screenings.requested');
const settled = () => caughtUp(replica.pipeline, 'deposit-ingest');

test('a deposit is accepted, told of, and asked to be screened by its txid', async () => {
  expect(await post({ ...deposit, to_address: mixedCase, amount: '1.50' })).toMatchObject({ status: 202, body: accepted });
  await settled();
  const [event] = await detected();
  expect(event).toMatchObject({ id: eventId('deposits.detected', accepted.screening_id), record: { key: 'd-1' } });
  // In the caller's form.
  expect(event?.data).toEqual({ ...deposit, chain: null, to_address: mixedCase, amount: '1.50', detected_at: Date.UTC(2026, 0, 1) });
  const [request, ...more] = await requested();
  expect(more).toEqual([]);
  expect(request?.data).toMatchObject({
    screening_id: accepted.screening_id,
    attempt: 1,
    direction: 'deposit',
    subject: deposit.txid,
    fault: null,
    transfer: { chain: 'ethereum', to_address: deposit.to_address, amount: '1.5' },
  });
  expect((request?.data.deadline_at ?? 0) - (request?.data.requested_at ?? 0)).toBe(600_000);
});

describe('the same deposit again is known', () => {
  test.each<[string, unknown, unknown]>([
    ['as it was', deposit, deposit],
    ['with the address in its other form', deposit, { ...deposit, to_address: mixedCase }],
    ['with the chain named', deposit, { ...deposit, chain: 'ethereum' }],
    ['seen at another time', deposit, { ...deposit, detected_at: '2026-01-02T00:00:00+02:00' }],
    ['without a time, both times', without('detected_at'), without('detected_at')],
    ['with nulls for what is left out', without('usd_value', 'user_id'), { ...deposit, usd_value: null, user_id: null }],
    ['of a coin nobody knows', { ...deposit, coin: 'XYZ' }, { ...deposit, coin: 'XYZ' }],
  ])('%s', async (_, first, again) => {
    expect(await post(first)).toMatchObject({ status: 202, body: accepted });
    expect(await post(again)).toMatchObject({ status: 200, body: accepted });
  });
});

test.each(
  Object.entries({
    amount: '1.6',
    txid: null,
    from_address: null,
    to_address: deposit.from_address,
    usd_value: null,
    user_id: 'u-2',
    coin: 'USDT-ERC20',
  }),
)('the same deposit_id with another %s is a conflict, and changes nothing', async (field, value) => {
  await post(deposit);
  expect(await post({ ...deposit, [field]: value })).toMatchObject({
    status: 409,
    type: 'application/problem+json',
    body: { code: 'CONFLICTING_CONTENT', status: 409 },
  });
  expect(await post(deposit)).toMatchObject({ status: 200, body: accepted });
  await settled();
  expect(new Set((await detected()).map(({ record }) => record.value.toString('hex'))).size).toBe(1);
  expect(await deadLetters(replica.pipeline, 'deposits.detected')).toEqual([]);
});

describe('what is malformed is refused with the name of its field:', () => {
  test.each<[string, unknown, string]>([
    ...['deposit_id', 'coin', 'to_address', 'amount'].map((field): [string, unknown, string] => [`no ${field}`, without(field), field]),
    ['neither txid nor from_address', without('txid', 'from_address'), 'txid'],
    ['an empty deposit_id', { ...deposit, deposit_id: '' }, 'deposit_id'],
    ['a long deposit_id', { ...deposit, deposit_id: 'x'.repeat(129) }, 'deposit_id'],
    ['half a character', { ...deposit, deposit_id: '\ud800' }, 'deposit_id'],
    ['a NUL', { ...deposit, user_id: 'a\0b' }, 'user_id'],
    ['a number as amount', { ...deposit, amount: 1.5 }, 'amount'],
    ['an amount that is none', { ...deposit, amount: '1e18' }, 'amount'],
    ['a value that is none', { ...deposit, usd_value: '$5' }, 'usd_value'],
    ['a field nobody knows', { ...deposit, usd_vaule: '1' }, 'usd_vaule'],
    ['a chain that does not fit the coin', { ...deposit, chain: 'tron' }, 'chain'],
    ['a chain that does not fit the coin, in a broken transfer', { ...deposit, chain: 'tron', to_address: 'x', txid: 'y' }, 'chain'],
    ['a time that is none', { ...deposit, detected_at: 'yesterday' }, 'detected_at'],
    ['a day that is none', { ...deposit, detected_at: '2026-02-30T00:00:00Z' }, 'detected_at'],
    ['a time without its zone', { ...deposit, detected_at: '2026-01-01T00:00:00' }, 'detected_at'],
    ['a time as a number', { ...deposit, detected_at: 1_767_225_600 }, 'detected_at'],
    ['a time before all times', { ...deposit, detected_at: '0000-01-01T00:00:00Z' }, 'detected_at'],
  ])('%s', async (_, body, field) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json', body: { code: 'MALFORMED', status: 400, field } });
    expect(answer.body['detail']).toContain(field);
  });

  test.each<[string, Body]>([
    ['nothing', ''],
    ['not JSON', '{"deposit_id": '],
    ['not UTF-8', Buffer.concat([Buffer.from('{"deposit_id":"'), Buffer.of(0xff), Buffer.from('"}')])],
    ['a list', JSON.stringify([deposit])],
    ['a text', '"d-1"'],
    ['null', 'null'],
  ])('%s, which has no field', async (_, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json', body: { code: 'MALFORMED' } });
    expect(answer.body).not.toHaveProperty('field');
    expect(answer.body['detail']).toMatch(/^the body is not (JSON|a JSON object)$/);
  });

  test('and nothing of it is taken', async () => {
    await post({ ...deposit, amount: '-1' });
    expect(await post(deposit)).toMatchObject({ status: 202 });
  });
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json-patch+json', 'application/jsonx'])(
  '%s is 415',
  async (type) => {
    expect(await send(JSON.stringify(deposit), { 'content-type': type })).toMatchObject({ status: 415, body: { code: 'NOT_JSON' } });
  },
);

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON ;charset="UTF-8"'])('%s is taken', async (type) => {
  expect(await send(JSON.stringify(deposit), { 'content-type': type })).toMatchObject({ status: 202 });
});

test('a body that is too large is 413, also one of which the length is not told', async () => {
  const large = JSON.stringify({ ...deposit, user_id: 'x'.repeat(70_000) });
  const refused = { status: 413, type: 'application/problem+json', body: { code: 'BODY_TOO_LARGE' } };
  expect(await send(large)).toMatchObject(refused);
  expect(await send(new Blob([large]).stream())).toMatchObject(refused);
  expect(await send(new Blob([JSON.stringify(deposit)]).stream())).toMatchObject({ status: 202 });
});

describe('who may post', () => {
  test.each(roles.map((role) => [role, role === 'ingest' || role === 'admin' ? 202 : 403] as const))('%s: %i', async (role, status) => {
    const answer = await send(JSON.stringify(deposit), { authorization: `Bearer token-${role}` });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer).toMatchObject({ type: 'application/problem+json', body: { code: 'FORBIDDEN' } });
  });

  test.each(['', 'Bearer', 'Bearer unknown', 'Basic token-ingest', 'token-ingest'])(
    'nobody with "%s": 401, whatever the body',
    async (authorization) => {
      for (const body of [JSON.stringify(deposit), 'x'.repeat(70_000)]) {
        expect(await send(body, { authorization })).toMatchObject({
          status: 401,
          type: 'application/problem+json',
          body: { code: 'UNAUTHENTICATED' },
        });
      }
    },
  );
});

const unscreenable: [string, Partial<Record<'amount' | 'chain' | 'coin' | 'to_address' | 'txid', string>>][] = [
  ['UNSUPPORTED_COIN', { coin: 'XYZ' }],
  ['UNSUPPORTED_COIN', { coin: 'XYZ', chain: 'xyz' }],
  ['INVALID_TRANSFER', { to_address: 'nowhere' }],
  ['INVALID_TRANSFER', { txid: '0x12' }],
  ['INVALID_TRANSFER', { amount: '0' }],
  ['INVALID_TRANSFER', { amount: '0.0000000000000000001' }],
];

test.each(unscreenable)('a real deposit that cannot be screened is accepted and requested with its fault: %s %o', async (fault, over) => {
  expect(await post({ ...deposit, ...over })).toMatchObject({ status: 202, body: accepted });
  await settled();
  const requests = await requested();
  expect(requests.map(({ data }) => data.fault)).toEqual([fault]);
  expect(requests[0]?.data.transfer).toMatchObject(over);
});

test.each(unscreenable)(
  'a real deposit from the topic that cannot be screened is accepted and requested with its fault: %s %o',
  async (fault, over) => {
    await publishTo(replica.pipeline, 'deposits.detected', { ...deposit, chain: null, detected_at: Date.UTC(2026, 0, 1), ...over });
    await settled();
    expect((await requested()).map(({ data }) => data.fault)).toEqual([fault]);
    expect(await deadLetters(replica.pipeline, 'deposits.detected')).toEqual([]);
  },
);

test('of fifty posts at once at two replicas one is new, and there is one event of each kind', async () => {
  const other = await listen(await start());
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => post(n % 3 === 0 ? { ...deposit, to_address: mixedCase } : deposit, n % 2 === 0 ? url : other)),
  );
  expect(statuses(answers)).toEqual({ 200: 49, 202: 1 });
  expect(new Set(answers.map(({ body }) => body['screening_id']))).toEqual(new Set([accepted.screening_id]));
  await settled();
  for (const events of [await detected(), await requested()]) expect(events).toHaveLength(1);
});

test('of fifty contradicting posts at once one is accepted and all others are conflicts', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => post({ ...deposit, amount: String(n + 1) })));
  expect(statuses(answers)).toEqual({ 202: 1, 409: 49 });
  await settled();
  expect(new Set((await requested()).map(({ data }) => data.transfer.amount)).size).toBe(1);
});

test('a deposit told by topic and posted is one', async () => {
  const event = { ...deposit, chain: null, to_address: mixedCase, detected_at: 5 };
  await publishTo(replica.pipeline, 'deposits.detected', event);
  await settled();
  expect(await post(deposit)).toMatchObject({ status: 200, body: accepted });
  expect(await post({ ...deposit, amount: '2' })).toMatchObject({ status: 409 });
  await settled();
  expect(new Set((await requested()).map(({ id }) => id)).size).toBe(1);
  expect(await deadLetters(replica.pipeline, 'deposits.detected')).toEqual([]);
});

test('a deposit without a time, posted again after the outbox was trimmed, is told of with the same bytes', async () => {
  await replica.stop();
  replica = await start(withLogElsewhere);
  const elsewhere = await listen(replica);
  expect(await post(without('detected_at'), elsewhere)).toMatchObject({ status: 202 });
  await settled();
  await stack.db.pool.query('DELETE FROM outbox.events');
  expect(await post({ ...deposit, detected_at: null, to_address: mixedCase }, elsewhere)).toMatchObject({ status: 200 });
  await settled();
  for (const events of [await detected(), await requested()]) {
    expect(events.length).toBeGreaterThan(1);
    expect(new Set(events.map(({ record }) => record.value.toString('hex'))).size).toBe(1);
    expect(new Set(events.map(({ record }) => JSON.stringify(record.headers))).size).toBe(1);
  }
});

test('the deadline of a deposit told by topic counts from when the log got it', async () => {
  await replica.stop();
  const exchange = await stack.pipeline();
  await publishTo(exchange, 'deposits.detected', { ...deposit, chain: null, detected_at: 5 });
  const late = await stack.service((pipeline) =>
    startDepositIngest(
      { ...pipeline, clock: { ...systemClock, now: () => systemClock.now() + 3_600_000 } },
      { depositDeadlineMs: 600_000 },
    ),
  );
  await caughtUp(late.pipeline, 'deposit-ingest');
  const [event] = await readTopic(late.pipeline, 'deposits.detected');
  const [request] = await readTopic(late.pipeline, 'screenings.requested');
  expect(request?.data).toMatchObject({
    requested_at: event?.record.timestamp,
    deadline_at: (event?.record.timestamp ?? 0) + 600_000,
  });
});

test('a deposit without a time has that of the database, though the clock of the service is wrong', async () => {
  const off = await stack.service((pipeline) =>
    startDepositIngest(
      { ...pipeline, clock: { ...systemClock, now: () => systemClock.now() + 3_600_000 } },
      { depositDeadlineMs: 600_000 },
    ),
  );
  expect(await post(without('detected_at'), await listen(off))).toMatchObject({ status: 202 });
  const [request] = await readTopic(off.pipeline, 'screenings.requested');
  expect(request?.data.warnings).toEqual([]);
  expect(request?.data.transfer.occurred_at).toBeLessThanOrEqual(request?.data.requested_at ?? 0);
});

test('a deposit of the year 1, a zero time, is taken', async () => {
  const zero = '0001-01-01T00:00:00Z';
  expect(await post({ ...deposit, detected_at: zero })).toMatchObject({ status: 202 });
  await settled();
  const [request] = await requested();
  expect(request?.data.transfer.occurred_at).toBe(Date.parse(zero));
  expect(request && screeningFault(request.data)).toBeUndefined();
});

test('while the database is away it is 503, and 202 when it is back', async () => {
  const { hostname, port } = new URL(stack.db.url);
  let away = false;
  const proxy = createServer((client) => {
    if (away) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
    open.add(client);
  });
  const open = new Set<Socket>();
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const pool = stack.db.openPool({ url: Object.assign(new URL(stack.db.url), { port: (proxy.address() as AddressInfo).port }).toString() });
  const behind = await stack.service((pipeline) => startDepositIngest({ ...pipeline, pool }, { depositDeadlineMs: 600_000 }));
  const to = await listen(behind);
  expect(await post(deposit, to)).toMatchObject({ status: 202 });
  away = true;
  for (const socket of open) socket.destroy();
  for (let n = 0; n < 5; n += 1) {
    expect(await post({ ...deposit, deposit_id: 'd-2' }, to)).toMatchObject({
      status: 503,
      type: 'application/problem+json',
      body: { code: 'UNAVAILABLE' },
    });
  }
  away = false;
  expect(await post({ ...deposit, deposit_id: 'd-2' }, to)).toMatchObject({ status: 202 });
  await behind.stop();
  await pool.end();
  await new Promise<void>((resolve) => {
    proxy.close(() => resolve());
    for (const socket of open) socket.destroy();
  });
});

test('a deposit with a time far from its receipt goes on with a remark', async () => {
  await post({ ...deposit, deposit_id: 'd-old', detected_at: '2020-01-01T00:00:00Z' });
  await post({ ...deposit, deposit_id: 'd-new', detected_at: new Date().toISOString() });
  await settled();
  const warnings = (await requested()).map(({ data }) => [data.transfer.source_id, data.fault, data.warnings]);
  expect(warnings).toContainEqual(['d-old', null, ['CALLER_TIME_OUT_OF_BOUNDS']]);
  expect(warnings).toContainEqual(['d-new', null, []]);
});

test('all problems of a body are told at once, in words', async () => {
  const answer = await post({ coin: 'ETH', amount: 1.5, usd_vaule: '3', detected_at: 'yesterday' });
  expect(answer).toMatchObject({ status: 400, body: { code: 'MALFORMED', field: 'deposit_id' } });
  expect((answer.body as { errors?: { detail: string }[] }).errors?.map(({ detail }) => detail)).toEqual([
    'deposit_id is required',
    'to_address is required',
    'amount must be a decimal string such as "1.5"',
    'detected_at must be a time with its zone (RFC 3339), such as 2026-01-31T09:12:23Z',
    'usd_vaule is not a field of a deposit',
    'txid or from_address is required',
  ]);
});

test('another method is 405 with the methods of the path, and a parameter is not ignored', async () => {
  const headers = { authorization: 'Bearer token-ingest' };
  const get = await fetch(`${url}/v1/deposits`, { headers });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  expect(await get.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', detail: '/v1/deposits takes POST, not GET' });
  const options = await fetch(`${url}/v1/deposits`, { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  const asked = await fetch(`${url}/v1/deposits?dry_run=true`, { method: 'POST', headers });
  expect([asked.status, await asked.json()]).toMatchObject([
    400,
    { code: 'UNKNOWN_PARAMETER', detail: 'there is no parameter dry_run; /v1/deposits takes no parameters' },
  ]);
});
