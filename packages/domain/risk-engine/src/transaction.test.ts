import { describe, expect, it } from 'vitest';
import { label, line, type Named, rowsOf } from './graph.testing.ts';
import { type RiskStore, scoreAddress, scoreTransaction } from './index.ts';
import { moves, type Row } from './movement.testing.ts';
import { memoryStore, type TransferRow } from './testing.ts';

function storeOf(legs: readonly Pick<TransferRow, 'from' | 'to' | 'usd'>[], labels: Readonly<Record<string, string>>): RiskStore {
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

/** The last rows are one transaction, `tx`. */
function storyOf(before: readonly Row[], transaction: readonly Row[], labels?: Named): RiskStore {
  const rows = rowsOf(moves([...before, ...transaction]), labels);
  return memoryStore({ ...rows, transfers: rows.transfers.map((row, index) => (index < before.length ? row : { ...row, txid: 'tx' })) });
}

const scoreStory = (store: RiskStore, direction: 'deposit' | 'withdraw') => scoreTransaction(store, 'c', 'tx', direction, 0);

const score = (store: RiskStore, direction: 'deposit' | 'withdraw') => scoreTransaction(store, 'bitcoin', 'tx', direction, 0);

const many = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name}${index}`);

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
    expect(result.exposures).toMatchObject([
      {
        side: 'in',
        entity: 'thief (theft)',
        risk_type: 'illicit_activity',
        exposure_type: 'direct',
        hop_num: 1,
        volume: 25,
        percent: 25,
        counterparty: 'thief',
        path: [{ tx: 'tx', from: 'thief', to: 'exchange', usd: 25 }],
        sources: ['test'],
      },
    ]);
  });

  it('is scored by where a withdrawal goes', async () => {
    const result = await score(store, 'withdraw');
    expect(result).toMatchObject({ score: 47, level: 'Moderate', address_label: 'site (gambling)' });
    expect(result.exposures).toMatchObject([{ side: 'out', entity: 'site (gambling)', volume: 0, path: [] }]);
  });

  it('is scored by what stands behind its senders, with the labels and sides of the worst', async () => {
    const before: Row[] = [
      ...line(90, 'thief', 'far', 'rich'),
      ['thief', 'near', 1],
      ['near', 'mule', 1],
      ['other', 'mule', 9],
      ['other', 'mule2', 5],
    ];
    const transaction: Row[] = [
      ['rich', 'shop', 90],
      ['mule', 'shop', 10],
      ['mule2', 'shop', 5],
    ];
    const all = storyOf(before, transaction, { thief: label('theft', 'Heist'), mule: label('ordinary', 'Mule') });
    const result = await scoreStory(all, 'deposit');
    const worst = await scoreAddress(all, 'c', 'rich', 0, { sides: ['in'] });
    expect(result).toMatchObject({ score: worst.score, worstAddress: 'rich', hacking_event: 'Heist', labels: [], sides: worst.sides });
    // The larger share, with its path, and the sum of both.
    expect(result.exposures).toMatchObject([
      { side: 'in', entity: 'Heist', exposure_type: 'indirect', hop_num: 2, side_percent: 100, volume: 91, counterparty: 'far' },
    ]);
    expect(result.illicit_usd).toBe(91);
  });

  it('judges a sender by the source of his funds alone, and a receiver by both sides', async () => {
    const before: Row[] = [
      ['exchange', 'a', 10_000],
      ['a', 'mixer', 5_000],
      ['exchange', 'b', 10_000],
      ['b', 'mixer', 5_000],
    ];
    const story = storyOf(before, [['a', 'b', 5_000]]);
    expect(await scoreStory(story, 'deposit')).toMatchObject({ score: 3, exposures: [{ side: 'out', entity: 'mixer', volume: 5_000 }] });
    expect(await scoreStory(story, 'withdraw')).toMatchObject({ level: 'High', worstAddress: 'b' });
  });

  it('lists 50 USD that a sender paid to a sanctioned address beside 200,000,000', async () => {
    const before: Row[] = [
      ['exchange', 'a', 4e8],
      ['a', 'exchange', 2e8],
      ['a', 'listed', 50],
    ];
    const { exposures } = await scoreStory(storyOf(before, [['a', 'shop', 1e6]]), 'deposit');
    expect(exposures).toMatchObject([{ side: 'out', risk_type: 'sanctioned_entity', exposure_type: 'direct', volume: 50 }]);
  });

  it('looks at a thief that comes after many labelled senders', async () => {
    const sites = Array.from({ length: 60 }, (_, index) => `site${index}`);
    const labels: Named = { thief: label('theft'), ...Object.fromEntries(sites.map((site) => [site, label('gambling', site)])) };
    const transaction = [...sites.map((site): Row => [site, 'shop', 1_000]), ['thief', 'shop', 1] as const];
    expect(await scoreStory(storyOf([], transaction, labels), 'deposit')).toMatchObject({ level: 'Severe', worstAddress: 'thief' });
  });

  it('looks at an unlabelled sender that comes after labelled ones', async () => {
    const sites = Array.from({ length: 30 }, (_, index) => `site${index}`);
    const labels: Named = { thief: label('theft'), ...Object.fromEntries(sites.map((site) => [site, label('gambling', site)])) };
    const transaction = [...sites.map((site): Row => [site, 'shop', 100]), ['mule', 'shop', 1] as const];
    expect(await scoreStory(storyOf([['thief', 'mule', 1_000]], transaction, labels), 'deposit')).toMatchObject({
      level: 'Severe',
      hacking_event: 'theft',
    });
  });

  it.each([
    [0, 'High'],
    [1, 'Moderate'],
  ])('looks at a thousand stolen senders beside fifty clean and larger ones (%i wallets behind each)', async (wallets, level) => {
    const clean = many(50, 'own').map((own): Row => ['exchange', own, 1_001]);
    const stolen = many(1_000, 'mule').flatMap((mule) => line(1_000, 'thief', ...many(wallets, `way to ${mule} `), mule));
    const payers = [...clean, ...stolen].filter(([, to]) => /^(own|mule)\d+$/.test(to));
    const transaction = payers.map(([, from, usd]): Row => [from, 'shop', usd]);
    const result = await scoreStory(storyOf([...clean, ...stolen], transaction), 'deposit');
    expect(result).toMatchObject({ level, worstAddress: expect.stringMatching(/^mule/) });
    if (level === 'Moderate') return;
    expect(result.illicit_usd).toBeGreaterThan(100_000);
    expect(result.exposures[0]?.path.at(-1)).toMatchObject({ tx: 'tx', to: 'shop' });
  });

  it('has nothing against a thousand clean senders', async () => {
    const senders = many(1_000, 'own');
    const before = senders.map((sender): Row => ['exchange', sender, 1_000]);
    const result = await scoreStory(
      storyOf(
        before,
        senders.map((sender): Row => [sender, 'shop', 1_000]),
      ),
      'deposit',
    );
    expect(result).toMatchObject({ score: 3, exposures: [] });
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

  it.each([
    ['from', 'deposit', { from: null, to: 'x', usd: 1e6 }],
    ['to', 'withdraw', { from: 'x', to: null, usd: 1e6 }],
  ] as const)('%s nobody: coverage none, because nobody has a past to look at', async (_, direction, leg) => {
    expect(await score(storeOf([leg], {}), direction)).toMatchObject({ score: 3, coverage: 'none' });
  });

  it('to whom a suspicion alone calls sanctioned has no exposure to a sanctioned entity', async () => {
    const story = storyOf([], [['s', 'x', 100]], { x: label('sanctioned', 'X', 0.3) });
    expect(await scoreStory(story, 'withdraw')).toMatchObject({
      level: 'High',
      exposures: [{ side: 'out', entity: 'X', category: 'sanctioned', suspected: true, risk_type: 'illicit_activity' }],
    });
  });

  it('unknown: coverage none', async () => {
    expect(await score(storeOf([], {}), 'deposit')).toMatchObject({ score: 3, level: 'Low', detail_list: [], coverage: 'none' });
  });
});
