import { seededRandom } from '../support/stack/random.ts';
import { findScenario, type Scenario, scenarios } from './scenarios.ts';

/** All of it follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly name: string;
  /** One scenario or two at once; `afterMs` is the delay after the load starts. */
  readonly scenarios: readonly { readonly scenario: Scenario; readonly afterMs: number }[];
  /** How long the load continues after the last fault, in milliseconds. */
  readonly tailMs: number;
  readonly random: () => number;
}

/** Consecutive seeds cycle through single scenarios, then through pairs, and so on. `named` overrides this; `+` joins several names. */
export function planOf(seed: number, named?: string): Plan {
  const random = seededRandom(seed);
  const chosen = named === undefined ? choose(seed, random) : named.split('+').map(findScenario);
  return {
    seed,
    name: chosen.map(({ name }) => name).join('+'),
    scenarios: chosen.map((scenario) => ({ scenario, afterMs: between(random, [500, 2_500]) })),
    tailMs: between(random, [1_000, 2_500]),
    random,
  };
}

function choose(seed: number, random: () => number): Scenario[] {
  const count = scenarios.length;
  const at = ((seed % count) + count) % count;
  const one = scenarios[at];
  // Picks another scenario, never the same one.
  const other = scenarios[(at + 1 + Math.floor(random() * (count - 1))) % count];
  if (one === undefined || other === undefined) throw new TypeError('no scenarios');
  return Math.floor(seed / count) % 2 === 0 ? [one] : [one, other];
}

export function between(random: () => number, [least, most]: readonly [number, number]): number {
  return Math.round(least + random() * (most - least));
}
