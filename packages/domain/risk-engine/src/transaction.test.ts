import { describe, expect, it } from 'vitest';
import { label, rowsOf } from './graph.testing.ts';
import { type Leg, type RiskStore, scoreAddress, scoreTransaction } from './index.ts';
import { memoryStore } from './testing.ts';

function storeOf(legs: readonly Leg[], labels: Readonly<Record<string, string>>): RiskStore {
  return memoryStore({
    transfers: legs.map((leg) => ({ chain: 'bitcoin', txid: 'tx', ...leg })),
    labels: Object.entries(labels).map(([address, category]) => ({
      chain: 'bitcoin',
      address,
      name: `${address} (${category})`,
      category,
      confidence: 1,
      source: 'test',
      valid_from: null,
      valid_to: null,
    })),
  });
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
      address_label: 'thief (theft)',
      hacking_event: 'thief (theft)',
      coverage: 'full',
    });
    expect(result.exposures).toEqual([
      {
        entity: 'thief (theft)',
        risk_type: 'illicit_activity',
        exposure_type: 'direct',
        hop_num: 1,
        volume: 25,
        percent: 25,
        sources: ['test'],
      },
    ]);
  });

  it('is scored by where a withdrawal goes', async () => {
    const result = await score(store, 'withdraw');
    expect(result).toMatchObject({ score: 47, level: 'Moderate', address_label: 'site (gambling)' });
    expect(result.exposures).toMatchObject([{ entity: 'site (gambling)', volume: 0 }]);
  });

  it('is scored by what stands behind its senders, with the labels and sides of the worst', async () => {
    const rows = rowsOf({
      chain: 'bitcoin',
      transfers: [
        ['rich', 'exchange', 90],
        ['mule', 'exchange', 10],
        ['mule2', 'exchange', 5],
        ['far', 'rich', 90],
        ['farther', 'far', 90],
        ['thief', 'farther', 90],
        ['near', 'mule', 1],
        ['thief', 'near', 1],
        ['other', 'mule', 9],
        ['other', 'mule2', 1],
      ],
      labels: { thief: label('theft', 'Heist'), exchange: label('exchange'), mule: label('ordinary', 'Mule') },
    });
    const transfers = rows.transfers.map((row) => (row.to === 'exchange' ? { ...row, txid: 'tx' } : row));
    const all = memoryStore({ ...rows, transfers });
    const result = await score(all, 'deposit');
    const worst = await scoreAddress(all, 'bitcoin', 'rich', 0);
    expect(result).toMatchObject({ score: worst.score, worstAddress: 'rich', hacking_event: 'Heist', labels: [], sides: worst.sides });
    // The larger share and the shorter path.
    expect(result.exposures).toMatchObject([
      {
        entity: 'Heist',
        exposure_type: 'indirect',
        hop_num: 2,
        percent: worst.exposures[0]?.percent,
        hop_dic: { '1': ['near'], '2': ['Heist'] },
      },
    ]);
  });

  it('looks at a sender that comes after many labelled ones', async () => {
    const sites = Array.from({ length: 30 }, (_, index) => `site${index}`);
    const rows = rowsOf({
      chain: 'bitcoin',
      transfers: [...sites.map((site) => [site, 'exchange', 100] as const), ['mule', 'exchange', 1], ['thief', 'mule', 99]],
      labels: { thief: label('theft'), exchange: label('exchange'), ...Object.fromEntries(sites.map((site) => [site, label('gambling')])) },
    });
    const transfers = rows.transfers.map((row) => (row.to === 'exchange' ? { ...row, txid: 'tx' } : row));
    expect(await score(memoryStore({ ...rows, transfers }), 'deposit')).toMatchObject({ level: 'Severe', hacking_event: 'theft' });
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
    expect(result).toMatchObject({ score: 3, address_label: '', coverage: 'transfers' });
  });

  it('known, but from nobody: Low with coverage of transfers', async () => {
    expect(await score(storeOf([{ from: null, to: 'x', usd: 1 }], {}), 'deposit')).toMatchObject({ score: 3, coverage: 'transfers' });
  });

  it('unknown: coverage none', async () => {
    expect(await score(storeOf([], {}), 'deposit')).toMatchObject({ score: 3, level: 'Low', detail_list: [], coverage: 'none' });
  });
});
