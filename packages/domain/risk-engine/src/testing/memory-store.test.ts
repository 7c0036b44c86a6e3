import { describe, expect, it } from 'vitest';
import { memoryStore } from '../testing.ts';

const row = (from: string | null, to: string | null, usd: number | null, txid = 'tx') => ({ chain: 'ethereum', txid, from, to, usd });
const named = (address: string, valid_from: number | null, valid_to: number | null) => ({
  chain: 'ethereum',
  address,
  name: address,
  category: 'theft',
  confidence: 1,
  source: 'test',
  valid_from,
  valid_to,
});

const store = memoryStore({
  transfers: [
    row('small', 'subject', 1),
    row('big', 'subject', 30),
    row('big', 'subject', 20),
    row('middle', 'subject', 10),
    row('dust', 'subject', 0.01),
    row('unknown', 'subject', null),
    row('subject', 'subject', 1_000),
    row(null, 'subject', 1_000),
    row('subject', 'big', 5),
    { ...row('elsewhere', 'subject', 7), chain: 'tron' },
  ],
  labels: [named('dust', 100, 200)],
});

describe('the store in memory', () => {
  it('lists labelled counterparties, and sums all', async () => {
    const found = await store.flows('ethereum', ['subject', 'nobody knows'], 'in');
    expect([...found.keys()]).toEqual(['subject']);
    expect(found.get('subject')).toEqual({
      total: { usd: 61.01, transfers: 6, unknownTransfers: 1 },
      items: [{ address: 'dust', usd: 0.01, transfers: 1, unknownTransfers: 0 }],
    });
  });

  it('keeps sides and chains apart', async () => {
    expect((await store.flows('ethereum', ['subject'], 'out')).get('subject')?.total).toMatchObject({ usd: 5, transfers: 1 });
    expect((await store.flows('tron', ['subject'], 'in')).get('subject')?.total).toMatchObject({ usd: 7, transfers: 1 });
  });

  it('gives labels from their beginning until before their end', async () => {
    const at = async (ms: number): Promise<number> => (await store.labelsOf('ethereum', ['dust', 'big'], ms)).size;
    expect([await at(99), await at(100), await at(199), await at(200)]).toEqual([0, 1, 1, 0]);
  });

  it('lists the movements of a transaction, the largest first and unknown values last', async () => {
    const legs = await store.transfersOf('ethereum', 'tx');
    expect(legs[0]).toEqual({ from: null, to: 'subject', usd: 1_000, at: 0, position: 0, coin: '' });
    expect(legs.map(({ usd }) => usd)).toEqual([1_000, 1_000, 30, 20, 10, 5, 1, 0.01, null]);
  });

  it('sums the same in whatever order rows are given', async () => {
    const rows = [row('a', 'b', 0.1), row('a', 'b', 0.2), row('a', 'b', 0.3)];
    const total = async (transfers: typeof rows) =>
      (await memoryStore({ labels: [], transfers }).flows('ethereum', ['b'], 'in')).get('b')?.total.usd;
    expect(await total(rows)).toBe(await total(rows.toReversed()));
  });

  it('refuses more than 2,000 addresses a call', async () => {
    const many = Array.from({ length: 2_001 }, (_, index) => `a${index}`);
    await expect(store.flows('ethereum', many, 'in')).rejects.toThrow(RangeError);
  });
});
