import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInstance, get, post, type Instance, type TestService } from '../testing/instance.ts';
import { create, query, sandboxGet, failure, standardKey, unlimitedSandboxKey } from '../testing/calls.ts';

const eth = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const ethTx = '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94';

let service: TestService;
let instance: Instance;
let keys: { standard: string; sandbox: string; expired: string };

beforeAll(async () => {
  ({ service, instance, keys } = await startInstance({
    keys: { standard: standardKey, sandbox: unlimitedSandboxKey, expired: { surface: 'standard', expiresAt: new Date(1_000) } },
  }));
});
afterAll(() => service.stop());

interface Case {
  readonly name: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly send: Record<string, unknown> | string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly msg: string;
}

describe.each<Case>([
  { name: 'no key', path: create, send: { coin: 'ETH', address: eth }, status: 400, msg: 'InvalidApiKey' },
  { name: 'empty key', path: create, send: { coin: 'ETH', address: eth, api_key: '' }, status: 400, msg: 'InvalidApiKey' },
  { name: 'unknown key', path: create, send: { coin: 'ETH', address: eth, api_key: 'nobody' }, status: 400, msg: 'InvalidApiKey' },
  { name: 'key that is no string', path: create, send: { coin: 'ETH', address: eth, api_key: 7 }, status: 400, msg: 'InvalidApiKey' },
  { name: 'key is checked before parameters', path: create, send: {}, status: 400, msg: 'InvalidApiKey' },
  {
    name: 'key of the other surface',
    path: create,
    key: 'sandbox',
    send: { coin: 'ETH', address: eth },
    status: 400,
    msg: 'InvalidApiKey',
  },
  { name: 'expired plan', path: create, key: 'expired', send: { coin: 'ETH', address: eth }, status: 402, msg: 'ExpiredPlan' },
  { name: 'no coin', path: create, key: 'standard', send: { address: eth }, status: 400, msg: 'InvalidParameter' },
  { name: 'unknown coin', path: create, key: 'standard', send: { coin: 'NOPE', address: eth }, status: 400, msg: 'UnsupportedToken' },
  { name: 'both', path: create, key: 'standard', send: { coin: 'ETH', address: eth, txid: ethTx }, status: 400, msg: 'InvalidParameter' },
  { name: 'neither', path: create, key: 'standard', send: { coin: 'ETH' }, status: 400, msg: 'InvalidAddress' },
  { name: 'both empty', path: create, key: 'standard', send: { coin: 'ETH', address: '', txid: '' }, status: 400, msg: 'InvalidAddress' },
  {
    name: 'not an address of the chain',
    path: create,
    key: 'standard',
    send: { coin: 'TRX', address: eth },
    status: 400,
    msg: 'InvalidAddress',
  },
  {
    name: 'wrong checksum',
    path: create,
    key: 'standard',
    send: { coin: 'ETH', address: eth.replace('098B', '098b') },
    status: 400,
    msg: 'InvalidAddress',
  },
  { name: 'not a txid', path: create, key: 'standard', send: { coin: 'ETH', txid: '0x12' }, status: 400, msg: 'InvalidParameter' },
  {
    name: 'address that is no string',
    path: create,
    key: 'standard',
    send: { coin: 'ETH', address: { a: 1 } },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'unknown direction',
    path: create,
    key: 'standard',
    send: { coin: 'ETH', txid: ethTx, direction: 'up' },
    status: 400,
    msg: 'InvalidParameter',
  },
  { name: 'an empty body, which holds no key', path: create, send: '', status: 400, msg: 'InvalidApiKey' },
  { name: 'broken JSON', path: create, send: '{"coin":', status: 400, msg: 'InvalidParameter' },
  { name: 'JSON that is no object', path: create, send: '[]', status: 400, msg: 'InvalidParameter' },
  {
    name: 'broken JSON with an unknown key',
    path: create,
    send: '{"coin":',
    headers: { 'x-api-key': 'nobody' },
    status: 400,
    msg: 'InvalidApiKey',
  },
  {
    name: 'another media type',
    path: create,
    send: 'coin=ETH',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    msg: 'UnsupportedMediaType',
  },
  { name: 'too large', path: create, send: { coin: 'ETH', address: 'x'.repeat(20_000) }, status: 413, msg: 'PayloadTooLarge' },
  { name: 'no task id', path: query, key: 'standard', send: {}, status: 400, msg: 'InvalidParameter' },
  { name: 'query without key', path: query, send: { task_id: 'x' }, status: 400, msg: 'InvalidApiKey' },
  { name: 'query with an expired plan', path: query, key: 'expired', send: { task_id: 'x' }, status: 402, msg: 'ExpiredPlan' },
  { name: 'sandbox, no key', path: sandboxGet, send: { coin: 'ETH', address: eth }, status: 400, msg: 'InvalidApiKey' },
  {
    name: 'sandbox, standard key',
    path: sandboxGet,
    key: 'standard',
    send: { coin: 'ETH', address: eth },
    status: 400,
    msg: 'InvalidApiKey',
  },
  {
    name: 'sandbox, other coin',
    path: sandboxGet,
    key: 'sandbox',
    send: { coin: 'BTC', address: eth },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'sandbox, coin of the same chain',
    path: sandboxGet,
    key: 'sandbox',
    send: { coin: 'USDT-ERC20', address: eth },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'sandbox, unknown target',
    path: sandboxGet,
    key: 'sandbox',
    send: { coin: 'ETH', address: `0x${'1'.repeat(40)}` },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'sandbox, nonsense target',
    path: sandboxGet,
    key: 'sandbox',
    send: { coin: 'ETH', address: 'x' },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'sandbox, coin and target mismatch',
    path: sandboxGet,
    key: 'sandbox',
    send: { coin: 'TRX', address: eth },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'sandbox, both',
    path: sandboxGet,
    key: 'sandbox',
    send: { coin: 'ETH', address: eth, txid: ethTx },
    status: 400,
    msg: 'InvalidParameter',
  },
  { name: 'sandbox, neither', path: sandboxGet, key: 'sandbox', send: { coin: 'ETH' }, status: 400, msg: 'InvalidAddress' },
  {
    name: 'sandbox, task not found',
    path: `/sandbox${query}`,
    key: 'sandbox',
    send: { task_id: 'nothing' },
    status: 200,
    msg: 'TaskNotFound',
  },
  {
    name: 'sandbox, a very long task id',
    path: `/sandbox${query}`,
    key: 'sandbox',
    send: { task_id: 'x'.repeat(513) },
    status: 200,
    msg: 'TaskNotFound',
  },
  {
    name: 'sandbox, NUL in a task id',
    path: `/sandbox${query}`,
    key: 'sandbox',
    send: { task_id: 'a\0b' },
    status: 200,
    msg: 'TaskNotFound',
  },
  { name: 'sandbox, no task id', path: `/sandbox${query}`, key: 'sandbox', send: {}, status: 400, msg: 'InvalidParameter' },
  {
    name: 'sandbox create, unknown target',
    path: `/sandbox${create}`,
    key: 'sandbox',
    send: { coin: 'TRX', address: 'TWd4WrZ9wn84f5x1hZhL4DHvk738ns5jwc' },
    status: 400,
    msg: 'InvalidParameter',
  },
  { name: 'sandbox create, neither', path: `/sandbox${create}`, key: 'sandbox', send: { coin: 'TRX' }, status: 400, msg: 'InvalidAddress' },
  {
    name: 'NUL in an address',
    path: '/v1/address_labels',
    key: 'standard',
    send: { coin: 'ETH', address: 'a\0b' },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'NUL in a coin',
    path: '/v1/risk_score',
    key: 'standard',
    send: { coin: 'E\0', address: eth },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'half a character in a body',
    path: create,
    key: 'standard',
    send: { coin: 'ETH', address: '\ud800' },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'a very long address',
    path: '/v2/risk_score',
    key: 'standard',
    send: { coin: 'ETH', address: 'x'.repeat(513) },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'digits of another script',
    path: '/v1/transactions_investigation',
    key: 'standard',
    send: { coin: 'ETH', address: eth, page: '١' },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'a page beyond all numbers',
    path: '/v1/transactions_investigation',
    key: 'standard',
    send: { coin: 'ETH', address: eth, page: '9'.repeat(400) },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'a time beyond all calendars',
    path: '/v1/transactions_investigation',
    key: 'standard',
    send: { coin: 'ETH', address: eth, end_timestamp: '253402300800' },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'a time in words of numbers',
    path: '/v1/transactions_investigation',
    key: 'standard',
    send: { coin: 'ETH', address: eth, start_timestamp: '1e3' },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'a coin of the prototype',
    path: '/v1/address_labels',
    key: 'standard',
    send: { coin: '__proto__', address: eth },
    status: 400,
    msg: 'UnsupportedToken',
  },
  {
    name: 'no address where it is required',
    path: '/v1/address_action',
    key: 'standard',
    send: { coin: 'ETH' },
    status: 400,
    msg: 'InvalidAddress',
  },
  {
    name: 'a name instead of an address',
    path: '/v1/address_action',
    key: 'standard',
    send: { coin: 'ETH', address: 'name.eth' },
    status: 400,
    msg: 'UnsupportedAddressType',
  },
  {
    name: 'both, on v2',
    path: '/v2/risk_score',
    key: 'standard',
    send: { coin: 'ETH', address: eth, txid: ethTx },
    status: 400,
    msg: 'InvalidParameter',
  },
  {
    name: 'v2 query of nothing',
    path: '/v2/risk_score_query_task',
    key: 'standard',
    send: { coin: 'ETH' },
    status: 400,
    msg: 'InvalidAddress',
  },
  { name: 'unknown page', path: '/v4/risk_score', key: 'standard', send: {}, status: 404, msg: 'PageNotFound' },
])('$name: $status $msg', ({ path, key, send, headers, status, msg }) => {
  it('answers the envelope', async () => {
    const url = instance.url + path;
    const api_key = key === undefined ? {} : { api_key: keys[key as keyof typeof keys] };
    const answer = path.endsWith('create_task')
      ? await post(url, typeof send === 'string' ? send : { ...api_key, ...send }, headers)
      : await get(url, { ...api_key, ...(send as Record<string, string>) }, headers);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: failure(msg) });
    expect(answer.headers.get('content-type')).toContain('application/json');
  });
});
