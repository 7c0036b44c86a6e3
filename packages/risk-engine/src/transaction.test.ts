import { describe, expect, it } from 'vitest';
import { type Label, type Leg, type RiskStore, scoreTransaction } from './index.ts';

const none = { total: { usd: 0, transfers: 0, unknownTransfers: 0 }, items: [] };

function storeOf(legs: readonly Leg[], labels: Readonly<Record<string, string>>): RiskStore {
  return {
    labelsOf: async (_chain, addresses) =>
      new Map(
        addresses.flatMap((address): [string, Label[]][] => {
          const category = labels[address];
          return category === undefined ? [] : [[address, [{ name: `${address} (${category})`, category, confidence: 1, source: 'test' }]]];
        }),
      ),
    counterparties: async () => none,
    transfersOf: async () => legs,
  };
}

const score = (store: RiskStore, direction: 'deposit' | 'withdraw') => scoreTransaction(store, 'bitcoin', 'tx', direction, 0);

describe('a transaction', () => {
  const legs = [
    { from: 'thief', to: 'exchange', usd: 25 },
    { from: 'other', to: 'exchange', usd: 75 },
    { from: null, to: 'site', usd: null },
  ];
  const store = storeOf(legs, { thief: 'theft', exchange: 'exchange', site: 'gambling' });

  it('is scored by where a deposit comes from, the worst of several addresses', async () => {
    const result = await score(store, 'deposit');
    expect(result).toMatchObject({
      score: 97,
      level: 'Severe',
      addressLabel: 'thief (theft)',
      hackingEvent: 'thief (theft)',
      coverage: 'full',
    });
    expect(result.exposures).toEqual([
      { entity: 'thief (theft)', riskType: 'illicit_activity', exposureType: 'direct', hopNum: 1, volume: 25, percent: 25 },
    ]);
  });

  it('is scored by where a withdrawal goes', async () => {
    const result = await score(store, 'withdraw');
    expect(result).toMatchObject({ score: 47, level: 'Moderate', addressLabel: 'site (gambling)' });
    expect(result.exposures).toMatchObject([{ entity: 'site (gambling)', volume: 0 }]);
  });

  it('passes a token over when there is someone else', async () => {
    const result = await score(
      storeOf(
        [
          { from: 'token', to: 'x', usd: 1 },
          { from: 'y', to: 'x', usd: 1 },
        ],
        { token: 'token' },
      ),
      'deposit',
    );
    expect(result).toMatchObject({ score: 3, addressLabel: '', coverage: 'transfers' });
  });

  it('known, but from nobody: Low with coverage of transfers', async () => {
    expect(await score(storeOf([{ from: null, to: 'x', usd: 1 }], {}), 'deposit')).toMatchObject({ score: 3, coverage: 'transfers' });
  });

  it('unknown: coverage none', async () => {
    expect(await score(storeOf([], {}), 'deposit')).toMatchObject({ score: 3, level: 'Low', detailList: [], coverage: 'none' });
  });
});
