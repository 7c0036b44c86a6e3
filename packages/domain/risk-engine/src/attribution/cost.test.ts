import { describe, expect, it } from 'vitest';
import { label, line, rowsOf } from '../graph.testing.ts';
import { type RiskStore, scoreAddress, scoreTransaction } from '../index.ts';
import { move, moves, type Row } from '../movement.testing.ts';
import { memoryStore, powerLawLabels, powerLawTransfers } from '../testing.ts';
import { attribution } from '../weights.ts';

interface Call {
  readonly read: 'labels' | 'flows' | 'histories' | 'transactions';
  readonly asked: number;
}

/** Records the calls, and rejects any beyond the port's bounds. */
function counted(store: RiskStore): { store: RiskStore; of: (read: Call['read']) => number[]; clear: () => void } {
  const calls: Call[] = [];
  const note = (read: Call['read'], { length }: readonly unknown[]): void => {
    if (length > 2_000) throw new RangeError('too many');
    calls.push({ read, asked: length });
  };
  return {
    of: (read) => calls.filter((call) => call.read === read).map(({ asked }) => asked),
    clear: () => void calls.splice(0),
    store: {
      hasContracts: () => true,
      labelsOf: (chain, addresses, atMs) => (note('labels', addresses), store.labelsOf(chain, addresses, atMs)),
      flows: (chain, addresses, side) => (note('flows', addresses), store.flows(chain, addresses, side)),
      histories: (chain, requests, bounds) => (note('histories', requests), store.histories(chain, requests, bounds)),
      movementsIn: (chain, txids) => (note('transactions', txids), store.movementsIn(chain, txids)),
      mintsIn: (chain, txids) => (note('transactions', txids), store.mintsIn(chain, txids)),
      receiptsOf: (chain, holdings) => (note('transactions', holdings), store.receiptsOf(chain, holdings)),
      transfersOf: (chain, txid) => store.transfersOf(chain, txid),
      drawKey: () => store.drawKey(),
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe('the cost of a score', () => {
  it('depends on bounds and not on the size of a hub', async () => {
    for (const spokes of [300, 5_000]) {
      const paid = Array.from({ length: spokes }, (_, index) => [
        move(index, `rim${index}`, `spoke${index}`, 1),
        move(spokes + index, `spoke${index}`, 'hub', 1),
      ]).flat();
      const { store, of } = counted(memoryStore(rowsOf([...paid, move(3 * spokes, 'hub', 's', 1)])));
      const { sides } = await scoreAddress(store, 'c', 's', 0);
      expect(sides.in.addresses).toBeLessThanOrEqual(attribution.largest_transfers + attribution.nearest_transfers + 2);
      expect(of('histories').length).toBeLessThanOrEqual(8);
      expect(sides.in.unread > 0.9).toBe(spokes === 5_000);
    }
  });

  it('is a few bounded calls on a chain of the usual shape, hubs and all', async () => {
    const size = { seed: 7, addresses: 5_000 };
    const transfers = [...powerLawTransfers({ ...size, transfers: 15_000 })].map(({ time, ...row }) => ({
      chain: 'c',
      at: Date.parse(time),
      coin: 'ETH',
      ...row,
    }));
    const labels = [...powerLawLabels(size)].map((row) => ({ chain: 'c', valid_from: null, valid_to: null, ...row }));
    const { store, of, clear } = counted(memoryStore({ transfers, labels }));
    const labelled = new Set(labels.map(({ address }) => address));
    for (const { from } of transfers.filter((row) => !labelled.has(row.from)).slice(0, 3)) {
      clear();
      const { sides } = await scoreAddress(store, 'c', from, 0);
      expect(sides.in.addresses + sides.out.addresses).toBeGreaterThan(20);
      expect(sum(of('histories'))).toBeLessThanOrEqual(2 * attribution.most_addresses + 2 * attribution.small_addresses_per_round);
      expect(of('histories').length).toBeLessThanOrEqual(2 * (attribution.most_addresses / attribution.addresses_per_round));
    }
  });

  it('is 50 senders of a transaction one by one, each as if it were scored alone, and the others as one side', async () => {
    const senders = Array.from({ length: 60 }, (_, index) => `sender${index}`);
    const rows = rowsOf(moves(senders.flatMap((sender): Row[] => line(200, 'thief', `before ${sender}`, sender, 'shop'))));
    const transfers = rows.transfers.map((row) => (row.to === 'shop' ? { ...row, txid: 'tx' } : row));
    const { store, of } = counted(memoryStore({ ...rows, transfers }));
    const together = await scoreTransaction(store, 'c', 'tx', 'deposit', 0);
    expect(sum(of('histories'))).toBe(2 * 50 + 2 * 10);
    const { exposures: _, illicit_usd: __, ...alone } = await scoreAddress(store, 'c', 'sender0', 0, { sides: ['in'] });
    expect(together).toMatchObject({ ...alone, worstAddress: 'sender0', illicit_usd: 12_000 });
    expect(together.exposures).toMatchObject([{ side: 'in', entity: 'theft', hop_num: 2, side_percent: 100, volume: 12_000 }]);
  });

  it('ends in cycles, and reads each address once a side', async () => {
    const rows: Row[] = [
      ['s', 'a', 5],
      ['a', 'b', 5],
      ['b', 'a', 5],
      ['a', 's', 5],
    ];
    const { store, of } = counted(memoryStore(rowsOf(moves(rows))));
    const { sides } = await scoreAddress(store, 'c', 's', 0);
    expect([sides.in.unread, sides.out.unread, sides.in.addresses]).toEqual([0, 0, 3]);
    expect(sum(of('histories'))).toBe(1 + 2 * 2);
  });

  it('reads labels in bounded calls too', async () => {
    const many = Array.from({ length: 2_500 }, (_, index): Row => [`known${index}`, 's', 1]);
    const labels = Object.fromEntries(many.map(([address]) => [address, label('ordinary')]));
    const { store, of } = counted(memoryStore(rowsOf(moves(many), labels)));
    await scoreAddress(store, 'c', 's', 0, { sides: ['in'] });
    expect(sum(of('labels'))).toBeLessThanOrEqual(2 * 2_501);
  });
});
