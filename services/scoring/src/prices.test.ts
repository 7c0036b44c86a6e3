import type { ScreeningRequested } from '@weir/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

function valued(over: Partial<ScreeningRequested> = {}, usd_value: string | null = '5'): ScreeningRequested {
  const request = aRequest(over);
  return { ...request, transfer: { ...request.transfer, usd_value } };
}

test('the price that the risk API knows for the day of receipt stands in the result, and is asked for once', async () => {
  const days: (string | null)[] = [];
  harness.upstream.price((asked) => {
    days.push(asked.get('day'));
    return { coin: asked.get('coin'), usd: '2000.5', day: '2026-01-30' };
  });
  await harness.replica();
  const requested_at = Date.UTC(2026, 0, 31, 12);
  await harness.request([valued({ requested_at }), valued({ requested_at })]);
  const told = await harness.untilScored(2);
  for (const one of told) expect(one).toMatchObject({ outcome: 'SCORED', known_usd_price: '2000.5', price_day: '2026-01-30' });
  // From a stored result too.
  const again = valued({ requested_at });
  await harness.request([{ ...again, subject: told[0]?.subject ?? '' }]);
  const reused = (await harness.untilScored(3)).find(({ screening_id }) => screening_id === again.screening_id);
  expect(reused).toMatchObject({ reused: true, known_usd_price: '2000.5' });
  expect(days).toEqual(['2026-01-31']);
});

test('a risk API without prices changes nothing', async () => {
  await harness.replica();
  await harness.request([valued(), valued(), valued({ fault: 'UNSUPPORTED_COIN' })]);
  const told = await harness.untilScored(3);
  for (const one of told) expect(one).toMatchObject({ known_usd_price: null, price_day: null });
  expect(told.map(({ outcome }) => outcome).toSorted()).toEqual(['SCORED', 'SCORED', 'UNSUPPORTED']);
  expect(harness.upstream.priceCalls).toBe(1);
});

test('a price that cannot be read is unknown', async () => {
  harness.upstream.price(() => ({ coin: 'BTC', usd: 'much', day: 'today' }));
  await harness.replica();
  await harness.request([valued()]);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'SCORED', known_usd_price: null, price_day: null }]);
});
