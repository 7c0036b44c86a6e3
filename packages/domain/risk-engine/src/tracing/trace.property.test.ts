import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movementsArb, seed } from '../movement.testing.ts';
import type { Movement } from '../store.ts';
import type { TraceOptions } from './trace.ts';
import { trace } from './trace.testing.ts';

describe('on random payments', () => {
  const single = movementsArb(['thief', 'exchange', 'mixer', 'router', 'user', 'a', 'b', 'c', 'd', 'e'], 50);
  /** Three transfers in each transaction, in two coins. */
  const joined = single.map((all) =>
    all.map((each, index) => {
      const { tx, at } = all[index - (index % 3)] as Movement;
      return { ...each, tx, at, position: index, coin: index % 2 === 0 ? 'ETH' : 'USDC' };
    }),
  );
  const payments = fc.oneof(single, joined);
  const check = (holds: (all: Movement[]) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(payments, holds), { seed, numRuns: 150 });
  const asked: [string, TraceOptions][] = [
    ['thief', { direction: 'forward' }],
    ['user', { direction: 'backward' }],
    ['thief', { direction: 'forward', limits: { most_addresses: 2 } }],
    ['user', { direction: 'backward', limits: { most_addresses: 2 } }],
  ];

  it('terminals and remainder add up to what was sent or received', () =>
    check(async (all) => {
      for (const [subject, options] of asked) {
        const traced = await trace(all, subject, options);
        for (const method of ['haircut', 'fifo'] as const) {
          const sum = traced.terminals.reduce((total, { value }) => total + (value[method] ?? 0), 0);
          const rest = (traced.others.value[method] ?? 0) + (traced.not_followed.value[method] ?? 0);
          expect(Math.abs(sum + rest - traced.value)).toBeLessThan(0.01 * (traced.terminals.length + 3));
          const open = traced.terminals.filter(({ kind }) => kind === 'hub').reduce((total, { value }) => total + (value[method] ?? 0), 0);
          expect((traced.bound[method] ?? 0) * traced.value).toBeGreaterThanOrEqual(open + (traced.not_followed.value[method] ?? 0) - 0.01);
        }
      }
    }));

  it('each terminal of haircut or FIFO is one of poison', () =>
    check(async (all) => {
      for (const [subject, options] of asked) {
        for (const { value } of (await trace(all, subject, options)).terminals) {
          expect(value.poison).toBeGreaterThan(0);
          expect(value.poison).toBeGreaterThanOrEqual(Math.max(value.haircut ?? 0, value.fifo ?? 0) - 0.011);
        }
      }
    }));

  it('with less reading a terminal has at most as much, and never more than the bound is missing', () =>
    check(async (all) => {
      for (const [subject, direction] of [
        ['thief', 'forward'],
        ['user', 'backward'],
      ] as const) {
        const [whole, cut] = [
          await trace(all, subject, { direction }),
          await trace(all, subject, { direction, limits: { most_addresses: 2 } }),
        ];
        for (const terminal of whole.terminals) {
          const part = cut.terminals.find(
            ({ kind, entity, address }) => kind === terminal.kind && (entity ? entity === terminal.entity : address === terminal.address),
          );
          const missing = (terminal.value.haircut ?? 0) - (part?.value.haircut ?? 0);
          expect(missing).toBeGreaterThanOrEqual(-0.02);
          expect(missing).toBeLessThanOrEqual((cut.bound.haircut ?? 0) * whole.value + 0.02);
        }
      }
    }));

  it('the order of loading changes nothing', () =>
    check(async (all) => {
      for (const [subject, options] of asked)
        expect(await trace(all.toReversed(), subject, options)).toEqual(await trace(all, subject, options));
    }));

  it('paths follow the order of time from the address, or to it', () =>
    check(async (all) => {
      for (const [subject, options] of asked) {
        for (const { path, address } of (await trace(all, subject, options)).terminals) {
          expect(options.direction === 'forward' ? [path[0]?.from, path.at(-1)?.to] : [path.at(-1)?.to, path[0]?.from]).toEqual([
            subject,
            address,
          ]);
          for (const [place, hop] of path.slice(1).entries()) {
            expect(hop.from).toBe(path[place]?.to);
            expect(Date.parse(hop.time)).toBeGreaterThanOrEqual(Date.parse(path[place]?.time ?? ''));
          }
        }
      }
    }));
});
