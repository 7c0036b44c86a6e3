import { describe, expect, it } from 'vitest';
import { type Graph, label, rowsOf } from '../graph.testing.ts';
import { type RiskStore, scoreAddress, scoreTransaction, type Side } from '../index.ts';
import { memoryStore, powerLawLabels, powerLawTransfers } from '../testing.ts';
import { limits } from '../weights.ts';

interface Call {
  readonly what: Side | 'labels';
  readonly addresses: number;
  readonly rows: number;
}

/** Records the calls, and rejects any beyond the port's bounds. */
function counted(store: RiskStore): { store: RiskStore; calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    store: {
      ...store,
      async labelsOf(chain, addresses, atMs) {
        calls.push({ what: 'labels', addresses: addresses.length, rows: 0 });
        if (addresses.length > 2_000) throw new RangeError('too many addresses');
        return store.labelsOf(chain, addresses, atMs);
      },
      async flows(chain, addresses, side, largest) {
        const found = await store.flows(chain, addresses, side, largest);
        calls.push({
          what: side,
          addresses: addresses.length,
          rows: [...found.values()].reduce((sum, { items }) => sum + items.length, 0),
        });
        return found;
      },
    },
  };
}

const sum = (calls: readonly Call[], field: 'addresses' | 'rows'): number => calls.reduce((total, call) => total + call[field], 0);
const most = Math.ceil(1 / limits.epsilon);

/** An unlabelled hub paid the subject; many spokes paid the hub, each funded by its own address. */
function behindHub(spokes: number): Graph {
  const many = Array.from({ length: spokes }, (_, index) => index);
  return {
    transfers: [
      ['hub', 'subject', 1],
      ...many.map((index) => [`spoke${index}`, 'hub', 1] as const),
      ...many.map((index) => [`rim${index}`, `spoke${index}`, 1] as const),
    ],
  };
}

describe('what a score costs', () => {
  it('depends on epsilon and not on the size of a hub', async () => {
    for (const [spokes, looked] of [
      [most / 2, most + 2],
      [5 * most, 2 * most + 2],
    ] as const) {
      const { store, calls } = counted(memoryStore(rowsOf(behindHub(spokes))));
      const { sides } = await scoreAddress(store, 'ethereum', 'subject', 0);
      const flows = calls.filter(({ what }) => what === 'in');
      expect(sides.in.expanded).toBe(looked);
      expect(sum(flows, 'addresses')).toBe(looked);
      expect(sum(flows, 'rows')).toBeLessThanOrEqual(3 * most);
      expect(sides.in.bound).toBeCloseTo(spokes > most ? 1 - most / spokes : 0, 9);
    }
  });

  it('is a few bounded calls for each hop on a chain of the usual shape, hubs and all', async () => {
    const size = { seed: 7, addresses: 5_000 };
    const chain = 'ethereum';
    const transfers = [...powerLawTransfers({ ...size, transfers: 15_000 })].map((row) => ({ chain, ...row }));
    const labels = [...powerLawLabels(size)].map((row) => ({ chain, valid_from: null, valid_to: null, ...row }));
    const { store, calls } = counted(memoryStore({ transfers, labels }));
    const labelled = new Set(labels.map(({ address }) => address));
    for (const { from } of transfers.filter((row) => !labelled.has(row.from)).slice(0, 3)) {
      calls.length = 0;
      const { sides } = await scoreAddress(store, chain, from, 0);
      expect(sides.in.expanded + sides.out.expanded).toBeGreaterThan(100);
      for (const side of ['in', 'out'] as const) {
        const flows = calls.filter(({ what }) => what === side);
        expect(flows.length).toBeLessThanOrEqual(3 * limits.hops);
        expect(sum(flows, 'addresses')).toBeLessThanOrEqual(most * limits.hops);
        expect(sides[side].risk + sides[side].services + sides[side].ends + sides[side].bound).toBeCloseTo(1, 9);
      }
    }
  });

  it('is one round of calls a hop for the senders of a transaction together, 50 of them at most', async () => {
    const senders = Array.from({ length: 60 }, (_, index) => `sender${index}`);
    const rows = rowsOf({
      transfers: senders.flatMap((sender) => [
        [sender, 'exchange', 1] as const,
        [`before ${sender}`, sender, 1] as const,
        ['thief', `before ${sender}`, 1] as const,
      ]),
      labels: { thief: label('theft'), exchange: label('exchange') },
    });
    const transfers = rows.transfers.map((row) => (row.to === 'exchange' ? { ...row, txid: 'tx' } : row));
    const { store, calls } = counted(memoryStore({ ...rows, transfers }));
    const together = await scoreTransaction(store, 'ethereum', 'tx', 'deposit', 0);
    // The senders' labels; both sides, at most 20 addresses a call; labels; the next hop and its labels.
    expect(sum(calls.slice(1, 4), 'addresses')).toBe(50);
    const first = ['labels', 'in', 'in', 'in', 'out', 'out', 'out', 'labels'];
    expect(calls.map(({ what }) => what)).toEqual([...first, 'in', 'in', 'in', 'labels']);
    expect(together).toEqual({
      ...(await scoreAddress(store, 'ethereum', 'sender0', 0)),
      exposures: together.exposures,
      worstAddress: 'sender0',
    });
    expect(together.exposures).toMatchObject([{ entity: 'theft', hop_num: 2, percent: 50, volume: 50 }]);
  });

  it('ends in cycles', async () => {
    const { store, calls } = counted(
      memoryStore(
        rowsOf({
          transfers: [
            ['a', 'subject', 5],
            ['b', 'a', 5],
            ['a', 'b', 5],
            ['subject', 'a', 5],
          ],
        }),
      ),
    );
    const { sides } = await scoreAddress(store, 'ethereum', 'subject', 0);
    expect(sides.in).toMatchObject({ risk: 0, services: 0 });
    expect(sides.in.ends).toBeGreaterThan(0.5);
    expect(sides.in.ends + sides.in.bound).toBeCloseTo(1, 9);
    expect(calls.filter(({ what }) => what !== 'labels').length).toBeLessThanOrEqual(2 * limits.hops);
    // The subject, a and b, each once.
    expect(
      sum(
        calls.filter(({ what }) => what === 'labels'),
        'addresses',
      ),
    ).toBe(3);
  });

  it('asks for labels in bounded calls too', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `known${index}`);
    const { store, calls } = counted(
      memoryStore(
        rowsOf({
          transfers: many.map((address) => [address, 'subject', 1]),
          labels: Object.fromEntries(many.map((address) => [address, label('ordinary')])),
        }),
      ),
    );
    expect((await scoreAddress(store, 'ethereum', 'subject', 0)).sides.in.bound).toBeCloseTo(1 - most / many.length, 9);
    expect(calls.filter(({ what }) => what === 'labels').map(({ addresses }) => addresses)).toEqual([1, 2_000, 500]);
  });
});
