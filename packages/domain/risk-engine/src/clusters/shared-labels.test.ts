import { describe, expect, it } from 'vitest';
import { type Label, scoreAddress } from '../index.ts';
import { type CoSpendRow, memoryStore } from '../testing.ts';

const chain = 'bitcoin';
const exchange = 'exchange';

interface World {
  /** Addresses that signed one transaction each. */
  readonly signed?: readonly (readonly string[])[];
  readonly labels: Readonly<Record<string, string | Partial<Label>>>;
  readonly paid?: readonly (readonly [from: string, to: string, usd: number])[];
}

function storeOf({ signed = [], labels, paid = [] }: World) {
  return memoryStore({
    co_spends: signed.map((addresses): CoSpendRow => ({ chain, addresses })),
    labels: Object.entries(labels).map(([address, of]) => {
      const given = typeof of === 'string' ? { category: of } : of;
      return {
        chain,
        address,
        name: address,
        category: 'theft',
        confidence: 1,
        source: 'test',
        valid_from: null,
        valid_to: null,
        ...given,
      };
    }),
    transfers: paid.map(([from, to, usd], at) => ({ chain, txid: `tx${at}`, from, to, usd, at: at + 1 })),
  });
}

const scoreOf = (world: World, address = 'subject') => scoreAddress(storeOf(world), chain, address, 1_000);

describe('who signs a transaction together with a thief', () => {
  it('is High as a suspicion, and not Severe as the thief', async () => {
    const signed = [['thief', 'subject']];
    const of = await scoreOf({ signed, labels: { thief: 'theft' } });
    expect([of.level, of.labels[0]?.via]).toEqual(['High', { address: 'thief', addresses: 2 }]);
    expect(of.detail_list).toContain('Suspected Malicious Address');
    expect((await scoreOf({ signed, labels: { thief: 'theft' } }, 'thief')).level).toBe('Severe');
  });

  it('is so through others who sign with both', async () => {
    const signed = [
      ['thief', 'a'],
      ['b', 'a'],
      ['b', 'subject'],
    ];
    expect((await scoreOf({ signed, labels: { thief: 'theft' } })).level).toBe('High');
    expect((await scoreOf({ signed: signed.slice(1), labels: { thief: 'theft' } })).coverage).toBe('none');
  });

  it('of a sanctioned address is no sanctioned entity', async () => {
    const of = await scoreOf({ signed: [['listed', 'subject']], labels: { listed: { category: 'sanctioned', source_kind: 'authority' } } });
    expect(of.labels[0]?.source_kind).toBeUndefined();
    expect(of.detail_list).not.toContain('Sanctioned Entity');
    expect(of.level).toBe('High');
  });
});

describe('an exchange that signs with its deposit addresses', () => {
  const signed = [
    ['hot', 'deposit', 'accused'],
    ['hot', 'other'],
  ];

  it('makes services of them, and an accused customer accuses nobody else', async () => {
    const labels = { hot: exchange, accused: 'scam' };
    for (const address of ['hot', 'deposit', 'other']) expect((await scoreOf({ signed, labels }, address)).level).toBe('Low');
    // Money of a service's deposit address is the service's.
    const paid = [
      ['thief', 'deposit', 5_000],
      ['deposit', 'subject', 5_000],
    ] as const;
    expect((await scoreOf({ labels: { ...labels, thief: 'theft' }, paid })).level).toBe('High');
    expect((await scoreOf({ signed, labels: { ...labels, thief: 'theft' }, paid })).level).toBe('Low');
  });

  it('accuses nobody without its own label either, once it is large', async () => {
    const large = [['accused', 'subject', ...Array.from({ length: 1_000 }, (_, n) => `deposit ${n}`)]];
    expect((await scoreOf({ signed: large, labels: { accused: 'scam' } })).level).toBe('Low');
    expect((await scoreOf({ signed: [large[0]?.slice(0, 1_000) ?? []], labels: { accused: 'scam' } })).level).toBe('High');
  });

  it('of which one source is not sure makes nobody a service', async () => {
    const labels = { hot: { category: exchange, confidence: 0.4 }, accused: 'scam' };
    expect((await scoreOf({ signed, labels }, 'deposit')).level).toBe('High');
  });
});
