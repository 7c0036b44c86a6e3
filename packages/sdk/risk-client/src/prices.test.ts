import { systemClock } from '@weir/clock';
import { expect, test } from 'vitest';
import { type PriceAnswer, RiskClient } from './index.ts';

const price = { coin: 'ETH', usd: '2000.5', day: '2026-01-31' };
let asked = '';

function read(body: unknown, status = 200): Promise<PriceAnswer> {
  const reply = async (input: unknown): Promise<Response> => {
    asked = String(input);
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  };
  const options = { baseUrl: 'http://api', apiKey: 'some-key', keyIn: 'header', clock: systemClock, fetch: reply as typeof fetch } as const;
  return new RiskClient(options).price({ coin: 'ETH', day: '2026-02-01' });
}
const readData = (data: unknown): Promise<PriceAnswer> => read({ success: true, msg: '', data });

test('a price is read with its day', async () => {
  expect(await readData(price)).toEqual({ kind: 'price', usd: '2000.5', day: '2026-01-31' });
  expect(asked).toBe('http://api/v1/prices?coin=ETH&day=2026-02-01');
});

test('no price and no such operation are told apart', async () => {
  expect(await readData(null)).toEqual({ kind: 'no_price' });
  expect(await read({ success: false, msg: 'PageNotFound', data: {} }, 404)).toEqual({ kind: 'not_found' });
});

test.each([
  ['the price of another coin', { ...price, coin: 'BTC' }, 'coin'],
  ['a number', { ...price, usd: 2000.5 }, 'usd'],
  ['a negative price', { ...price, usd: '-1' }, 'usd'],
  ['an exponent', { ...price, usd: '1e9' }, 'usd'],
  ['a day that is none', { ...price, day: '2026-02-30' }, 'day'],
])('%s is not understood', async (_, data, where) => {
  expect(await readData(data)).toEqual({ kind: 'unavailable', reason: 'UNREADABLE', detail: `data.${where} is missing or not understood` });
});
