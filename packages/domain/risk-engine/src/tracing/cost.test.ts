import { expect, it } from 'vitest';
import { label, rowsOf } from '../graph.testing.ts';
import { move } from '../movement.testing.ts';
import { memoryStore } from '../testing.ts';
import type { History, RiskStore } from '../store.ts';
import { attribution } from '../weights.ts';
import { traceMoney } from './trace.ts';

/** Counts what a trace asks of a store. */
function counting(store: RiskStore) {
  const asked = { calls: 0, addresses: 0, transfers: 0 };
  const counted: RiskStore = {
    ...store,
    histories: async (chain, requests, bounds) => {
      const found = await store.histories(chain, requests, bounds);
      asked.calls++;
      asked.addresses += requests.length;
      for (const { movements } of found.values() as Iterable<History>) asked.transfers += movements.length;
      return found;
    },
  };
  return { asked, counted };
}

it('reads within the budget of a score, however wide the money spreads among busy wallets', async () => {
  // Each of 4,000 wallets gets a part, and has 30 transfers of its own with one other.
  const wallets = Array.from({ length: 4_000 }, (_, index) => `w${index}`);
  const movements = wallets.flatMap((wallet, index) => [
    move(index, 'thief', wallet, 100),
    ...Array.from({ length: 30 }, (__, at) => move(5_000 + at, wallet, `p${index}`, 1, { tx: `t${index}-${at}` })),
  ]);
  const { asked, counted } = counting(memoryStore(rowsOf(movements, { thief: label('theft') })));
  const trace = await traceMoney(counted, 'c', 'thief', 0, { direction: 'forward' });
  expect(asked.addresses).toBeLessThanOrEqual(attribution.most_addresses + 1);
  expect(trace.read.transfers).toBeLessThanOrEqual(2 * attribution.most_transfers);
  expect(asked.calls).toBeLessThanOrEqual(attribution.most_addresses / attribution.addresses_per_round + 2);
  const { haircut = 0 } = trace.not_followed.value;
  expect(haircut).toBeGreaterThan(0);
  expect((trace.bound.haircut ?? 0) * trace.value).toBeGreaterThanOrEqual(haircut - 0.01);
});

it('holds as many pieces as a payment needs: FIFO in a circle of many small payments ends soon', async () => {
  const small = Array.from({ length: 300 }, (_, index) => move(index, index % 2 === 0 ? 'thief' : 'exchange', 'a', 1 + (index % 7)));
  const rounds = Array.from({ length: 400 }, (_, index) => [
    move(1_000 + 2 * index, 'a', 'b', 500 + (index % 3)),
    move(1_001 + 2 * index, 'b', 'a', 499 + (index % 5)),
  ]).flat();
  const labels = { thief: label('theft'), exchange: label('exchange') };
  const trace = await traceMoney(memoryStore(rowsOf([...small, ...rounds], labels)), 'c', 'thief', 0, { direction: 'forward' });
  const sum = trace.terminals.reduce((total, { value }) => total + (value.fifo ?? 0), 0);
  expect(sum).toBeCloseTo(trace.value, 1);
});
