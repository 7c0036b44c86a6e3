import { describe, expect, it } from 'vitest';
import { poison } from './baselines/shares.ts';
import { casesOf, families } from './cases.ts';
import { inTimeOrder, rolesOf } from './movements.ts';
import { generatedWorlds } from './worlds.ts';

const tuned = casesOf('tuned');
const heldOut = casesOf('heldOut');

describe('generated cases', () => {
  it('are the same each time', () => {
    expect(casesOf('tuned')).toEqual(tuned);
  });

  it('share no parameter and no address with those that are held out', () => {
    for (const { values } of families) expect(values.tuned.filter((value) => values.heldOut.includes(value))).toEqual([]);
    const addresses = new Set(tuned.flatMap(({ movements }) => movements.flatMap(({ from, to }) => [from, to])));
    expect(heldOut.filter(({ movements }) => movements.some(({ from, to }) => addresses.has(from) || addresses.has(to)))).toEqual([]);
  });

  it.each([...tuned, ...heldOut].map((each) => [each.name, each] as const))('%s: stolen money reaches who evades', (_, each) => {
    const { movements, labels, subject, family } = each;
    const isReached = poison(inTimeOrder(movements), rolesOf(labels)).has(subject);
    // A swap breaks every trail that does not join the sides of a transaction. Who signs with a thief need not get his money.
    if ('least' in family.expected) expect(isReached).toBe(!/^(swap|who signs)/.test(family.name));
    expect(movements.some(({ from, to }) => from === subject || to === subject)).toBe(true);
  });
});

it('generated thefts: no one launders and is benign, and only the benign are paid without cause', () => {
  for (const { launderers, benign, paid, movements } of generatedWorlds('tuned')) {
    const known = new Set(benign);
    expect(launderers.filter((address) => known.has(address))).toEqual([]);
    expect([...paid].every((address) => known.has(address))).toBe(true);
    const receivers = new Set(movements.map(({ to }) => to));
    expect(launderers.filter((address) => !receivers.has(address))).toEqual([]);
  }
});
