import type { ScreeningRequested } from '@weir/contracts';
import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RiskClient } from '@weir/risk-client';
import { TryAgain } from '@weir/service-kit';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';
import { type PriceFound, Prices } from './prices.ts';

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
  // A reused result carries the price too.
  const again = valued({ requested_at });
  const subject = told[0]?.subject ?? '';
  await harness.request([{ ...again, subject, transfer: { ...again.transfer, from_address: subject } }]);
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

const known = { coin: 'ETH', usd: '2000', day: '2026-01-30' };
const tell = (): object => known;

test('a failed question about a price is not the same as no price, and is asked again after seconds', async () => {
  harness.upstream.price(() => ({ coin: 'BTC', usd: 'much', day: 'today' }));
  let skewMs = 0;
  await harness.replica({}, { ...systemClock, monotonic: () => systemClock.monotonic() + skewMs });
  const requested_at = Date.UTC(2026, 0, 31, 12);
  await harness.request([valued({ requested_at })]);
  const failed = { outcome: 'SCORED', known_usd_price: null, price_day: null, reasons: ['PRICE_UNAVAILABLE'] };
  expect(await harness.untilScored(1)).toMatchObject([failed]);
  harness.upstream.price(tell);
  skewMs = 2_000;
  const next = valued({ requested_at });
  await harness.request([next]);
  const told = (await harness.untilScored(2)).find(({ screening_id }) => screening_id === next.screening_id);
  expect(told).toMatchObject({ known_usd_price: '2000', price_day: '2026-01-30', reasons: [] });
});

describe('where the risk API refuses the question about a price', () => {
  const firstDay = Date.UTC(2026, 0, 31, 12);
  const unanswered = { known_usd_price: null, price_day: null, isUnanswered: true };
  const answered = { known_usd_price: '2000', price_day: '2026-01-30', isUnanswered: false };

  function open(): (requested_at: number, afterMs?: number) => Promise<PriceFound | undefined> {
    let skewMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skewMs };
    const { url: baseUrl, apiKey } = harness.upstream;
    const prices = new Prices(new RiskClient({ baseUrl, apiKey, keyIn: 'header', clock }), clock);
    return async (requested_at, afterMs = 0) => {
      skewMs += afterMs;
      const find = prices.finderFor({});
      for (;;) {
        try {
          return find([valued({ requested_at })])[0];
        } catch (error) {
          if (!(error instanceof TryAgain)) throw error;
          await error.ready();
        }
      }
    };
  }

  test.each([401, 403])('%i is no answer', async (status) => {
    harness.upstream.price(status);
    expect(await open()(firstDay)).toEqual(unanswered);
  });

  test.each([401, 403, 404])('%i replaces no known price', async (status) => {
    const priceOf = open();
    harness.upstream.price(tell);
    expect(await priceOf(firstDay)).toEqual(answered);
    harness.upstream.price(status);
    expect(await priceOf(firstDay, 600_001)).toEqual(answered);
    expect(harness.upstream.priceCalls).toBe(2);
  });

  test('404 is no answer once it has answered about any price, though with none', async () => {
    const priceOf = open();
    harness.upstream.price(404);
    expect(await priceOf(firstDay - 86_400_000)).toEqual({ ...unanswered, isUnanswered: false });
    harness.upstream.price(() => null);
    expect(await priceOf(firstDay)).toEqual({ ...unanswered, isUnanswered: false });
    harness.upstream.price(404);
    expect(await priceOf(firstDay + 86_400_000)).toEqual(unanswered);
  });
});

test('a price is asked for where no value was declared', async () => {
  harness.upstream.price(tell);
  await harness.replica();
  await harness.request([valued({}, null)]);
  expect(await harness.untilScored(1)).toMatchObject([{ known_usd_price: '2000' }]);
});

describe('a restart loses no price', () => {
  let isDone = false;

  async function admitted(request: ScreeningRequested, data: (subject: string) => Record<string, unknown> = () => ({})): Promise<void> {
    isDone = false;
    harness.upstream.answer((subject) => ({
      get running() {
        return isDone ? 0 : 1_000_000;
      },
      data: data(subject),
    }));
    const first = await harness.replica();
    await harness.request([request]);
    const { pool } = harness.pipeline;
    await vi.waitFor(async () => {
      expect((await pool.query('SELECT FROM scoring.lookups WHERE task_id IS NOT NULL')).rowCount).toBe(1);
    }, 20_000);
    await first.stop();
    harness.upstream.price(tell);
  }

  test('of a lookup that another process completes', async () => {
    await admitted(valued());
    isDone = true;
    await harness.replica();
    expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'SCORED', known_usd_price: '2000' }]);
  });

  test('of a hold at the deadline', async () => {
    await admitted(valued());
    await harness.pipeline.pool.query('UPDATE scoring.screenings SET deadline_at = now()');
    await harness.replica();
    expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'UNAVAILABLE', known_usd_price: '2000' }]);
  });

  test('of an unknown transaction whose counterparty has an answer', async () => {
    const txid = `0x${'7a'.repeat(32)}`;
    const request = valued({ subject_type: 'txid', subject: txid });
    await admitted(request, (subject) =>
      subject === txid ? { score: 3, risk_level: 'Low', coverage: 'none', detail_list: [], risk_detail: [] } : {},
    );
    isDone = true;
    await harness.replica();
    const [told] = await harness.untilScored(1);
    expect(told).toMatchObject({ known_usd_price: '2000' });
    expect(told?.questions).toHaveLength(2);
  });
});
