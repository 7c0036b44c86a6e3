import { readCoin } from '@weir/chains';
import { RiskClient } from '@weir/risk-client';
import { expect, test } from 'vitest';
import { misttrackProvider } from '../index.ts';
import { simulateSpecified } from '../testing/index.ts';
import vendor from './vendor-coins.json' with { type: 'json' };

const apiKey = 'key-of-misttrack';

test.each(vendor.known)('%s of the vendor is a coin', (name) => expect(readCoin(name)).toBeDefined());

test.each(Object.keys(vendor.unknown))('%s is not guessed: several contracts have its name', (name) =>
  expect(readCoin(name)).toBeUndefined(),
);

test('the vendor gets each coin back in its own spelling', async () => {
  const api = await simulateSpecified({ apiKey, coins: vendor.known });
  try {
    const client = new RiskClient({ baseUrl: api.url, apiKey, keyIn: 'spec', timeoutMs: 5_000 });
    const provider = misttrackProvider(client, { name: 'vendor', limits: { perSecond: 1, perDay: 10_000 } });
    const answer = await provider.coins();
    const symbols = answer.kind === 'coins' ? answer.coins : [];
    for (const [n, coin] of symbols.entries())
      await provider.ask({
        chain: 'ethereum',
        coin,
        subject_type: 'address',
        subject: `0x${String(n).padStart(40, '0')}`,
        direction: 'deposit',
        facts: {},
      });
    const sent = api.received.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body).coin);
    // Renamed: Weir's POL is its POL-Polygon, which it also lists under the former name.
    expect(new Set(sent)).toEqual(new Set(vendor.known.filter((name) => name !== 'MATIC-Polygon')));
  } finally {
    await api.close();
  }
});
