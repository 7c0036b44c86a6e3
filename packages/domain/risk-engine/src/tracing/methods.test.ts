import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inTimeOrder } from '../attribution/order.ts';
import { movementsArb, moves, type Row, seed } from '../movement.testing.ts';
import type { Movement } from '../store.ts';
import type { Carried, TraceMethod, Trail } from './carried.ts';
import { fifo } from './fifo.ts';
import { haircut } from './haircut.ts';
import { type Ledger, ledgerOf, type TracedPayment } from './ledger.ts';
import { poison } from './poison.ts';

const methods = { poison, haircut, fifo };
const conserving = { haircut, fifo };
const ends = new Set(['thief', 'exchange', 'user']);
const subjects = { forward: 'thief', backward: 'user' } as const;

type Valued = TracedPayment & { readonly tx: string };

const valuesOf = (all: readonly Movement[]): Valued[] => all.map((each) => ({ ...each, value: each.usd ?? 0 }));

function ledger(payments: readonly Valued[]): Ledger<Valued> {
  return ledgerOf(payments, (address) => ends.has(address));
}

const forward = (payments: readonly Valued[]) => (method: TraceMethod) =>
  method(ledger(payments), { direction: 'forward', isStart: (index) => payments[index]?.from === subjects.forward }).carried;
const backward = (payments: readonly Valued[]) => (method: TraceMethod) =>
  method(ledger(payments), { direction: 'backward', isStart: (index) => payments[index]?.to === subjects.backward }).carried;

const rowsOf = (rows: readonly Row[]): Valued[] => valuesOf(moves(rows));
const sums = (carried: readonly Carried[]): number[] => carried.map((each) => Number(each.value.toFixed(6)));

function indices(trail: Trail | undefined): number[] {
  return trail === undefined ? [] : [trail.index, ...indices(trail.before)];
}

describe('the three methods', () => {
  // Möser and others: a wallet with 100 of its own and 100 stolen pays 100 twice.
  const mixed = rowsOf([
    ['exchange', 'a', 100],
    ['thief', 'a', 100],
    ['a', 'b', 100],
    ['a', 'c', 100],
  ]);

  it('divide mixed money: all of it, in proportion, or by order of arrival', () => {
    expect(sums(forward(mixed)(poison))).toEqual([0, 100, 100, 100]);
    expect(sums(forward(mixed)(haircut))).toEqual([0, 100, 50, 50]);
    expect(sums(forward(mixed)(fifo))).toEqual([0, 100, 0, 100]);
  });

  it("follow Clayton's case: the banker's first money in is the first out", () => {
    // Stolen 50 came between own 30 and own 40; 60 are withdrawn, then 60.
    const account = rowsOf([
      ['exchange', 'a', 30],
      ['thief', 'a', 50],
      ['exchange', 'a', 40],
      ['a', 'b', 60],
      ['a', 'c', 60],
    ]);
    expect(sums(forward(account)(fifo))).toEqual([0, 50, 0, 30, 20]);
    expect(sums(forward(account)(haircut))).toEqual([0, 50, 0, 25, 25]);
    expect(sums(forward(account)(poison))).toEqual([0, 50, 0, 60, 60]);
  });

  it('backward name the payers of a payment', () => {
    const paid = rowsOf([
      ['thief', 'a', 100],
      ['exchange', 'a', 300],
      ['a', 'user', 100],
    ]);
    expect(sums(backward(paid)(poison))).toEqual([100, 300, 100]);
    expect(sums(backward(paid)(haircut))).toEqual([25, 75, 100]);
    expect(sums(backward(paid)(fifo))).toEqual([100, 0, 100]);
  });

  it('backward know what had left before, and what came later', () => {
    const spent = rowsOf([
      ['thief', 'a', 100],
      ['a', 'b', 100],
      ['exchange', 'a', 100],
      ['a', 'user', 100],
      ['thief', 'a', 500],
    ]);
    expect(sums(backward(spent)(haircut))).toEqual([0, 0, 100, 100, 0]);
    expect(sums(backward(spent)(fifo))).toEqual([0, 0, 100, 100, 0]);
    expect(sums(backward(spent)(poison))).toEqual([100, 0, 100, 100, 0]);
  });

  it('take money that no payment brought for other money, which leaves last', () => {
    const more = rowsOf([
      ['thief', 'a', 100],
      ['a', 'b', 300],
      ['a', 'c', 100],
    ]);
    for (const method of [haircut, fifo]) expect(sums(forward(more)(method))).toEqual([100, 100, 0]);
  });

  it('follow nothing through an end', () => {
    const ended = rowsOf([
      ['thief', 'exchange', 100],
      ['exchange', 'a', 100],
      ['a', 'thief', 50],
    ]);
    for (const method of Object.values(methods)) expect(sums(forward(ended)(method))).toEqual([100, 0, 0]);
  });

  it('show the way on which most of the money went', () => {
    const two = rowsOf([
      ['thief', 'a', 30],
      ['thief', 'b', 70],
      ['a', 'c', 30],
      ['b', 'c', 70],
      ['c', 'exchange', 100],
    ]);
    expect(indices(forward(two)(haircut)[4]?.main?.trail)).toEqual([4, 3, 1]);
    expect(indices(forward(two)(fifo)[4]?.main?.trail)).toEqual([4, 3, 1]);
    expect(forward(two)(haircut)[4]?.main?.value).toBeCloseTo(70, 9);
    expect(forward(two)(fifo)[4]?.main?.value).toBeCloseTo(70, 9);
    // Poison shows the first contact.
    expect(indices(forward(two)(poison)[4]?.main?.trail)).toEqual([4, 2, 0]);
  });

  it('backward show the way from its beginning', () => {
    const chain = rowsOf([
      ['exchange', 'a', 100],
      ['a', 'b', 100],
      ['b', 'user', 100],
    ]);
    for (const method of Object.values(methods)) expect(indices(backward(chain)(method)[0]?.main?.trail)).toEqual([0, 1, 2]);
  });
});

describe('on random payments', () => {
  const addresses = ['thief', 'exchange', 'user', 'a', 'b', 'c', 'd'];
  const payments = movementsArb(addresses, 40).map((all) => valuesOf(inTimeOrder(all)));
  const check = (holds: (all: Valued[]) => void): void => fc.assert(fc.property(payments, holds), { seed, numRuns: 300 });
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

  it('haircut and FIFO conserve value: what arrives and what stays is what was sent, and nobody keeps less than nothing', () => {
    check((all) => {
      for (const [carried, near, far] of Object.values(conserving).flatMap((method) => [
        [forward(all)(method), 'from', 'to'] as const,
        [backward(all)(method), 'to', 'from'] as const,
      ])) {
        const start = all.map((payment, index) =>
          payment[near] === (near === 'from' ? 'thief' : 'user') ? (carried[index]?.value ?? 0) : 0,
        );
        const kept = new Map<string, number>();
        for (const [index, payment] of all.entries()) {
          const moved = carried[index]?.value ?? 0;
          kept.set(payment[far], (kept.get(payment[far]) ?? 0) + moved);
          if (start[index] === 0) kept.set(payment[near], (kept.get(payment[near]) ?? 0) - moved);
        }
        for (const held of kept.values()) expect(held).toBeGreaterThan(-1e-4);
        expect(sum([...kept.values()])).toBeCloseTo(sum(start), 4);
      }
    });
  });

  it('a payment carries at most itself, and something by haircut or FIFO only where poison reaches', () => {
    check((all) => {
      for (const trace of [forward(all), backward(all)]) {
        const reached = trace(poison);
        for (const method of Object.values(conserving)) {
          for (const [index, { value: carried }] of trace(method).entries()) {
            expect(carried).toBeLessThanOrEqual((reached[index]?.value ?? 0) + 1e-6);
            expect(reached[index]?.value === 0 || reached[index]?.value === all[index]?.value).toBe(true);
          }
        }
      }
    });
  });

  it('backward is forward read from its end', () => {
    check((all) => {
      for (const method of Object.values(conserving)) {
        const back = backward(all)(method);
        for (const index of all.keys()) {
          const alone = method(ledger(all), { direction: 'forward', isStart: (at) => at === index }).carried;
          const arrived = sum(all.map(({ to }, at) => (to === 'user' ? (alone[at]?.value ?? 0) : 0)));
          expect(back[index]?.value).toBeCloseTo(arrived, 4);
        }
      }
    });
  });

  it('a way is made of payments that follow each other in time, and carries at most what its payment carries', () => {
    check((all) => {
      for (const [carried, isForward] of Object.values(methods).flatMap((method) => [
        [forward(all)(method), true] as const,
        [backward(all)(method), false] as const,
      ])) {
        for (const each of carried) {
          if (each.main === undefined) continue;
          expect(each.main.value).toBeLessThanOrEqual(each.value + 1e-6);
          const way = isForward ? indices(each.main.trail).toReversed() : indices(each.main.trail);
          for (const [place, index] of way.slice(1).entries()) {
            expect(index).toBeGreaterThan(way[place] ?? 0);
            expect(all[index]?.from).toBe(all[way[place] ?? 0]?.to);
          }
        }
      }
    });
  });

  it('later money is never carried', () => {
    check((all) => {
      const half = Math.floor(all.length / 2);
      for (const method of Object.values(methods)) {
        expect(sums(forward(all.slice(0, half))(method))).toEqual(sums(forward(all)(method)).slice(0, half));
      }
    });
  });
});
