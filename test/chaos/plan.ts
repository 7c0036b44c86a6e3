import { seededRandom } from '../support/stack/random.ts';
import { findScenario, type Scenario, scenarios } from './scenarios.ts';

/** What happens in one run. All of it follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly name: string;
  /** One scenario, or two at once; when each begins after the load, in milliseconds. */
  readonly scenarios: readonly { readonly scenario: Scenario; readonly afterMs: number }[];
  /** How long the load goes on when all is back. */
  readonly tailMs: number;
  /** For what the steps draw. */
  readonly random: () => number;
}

/**
 * As many seeds in a row as there are scenarios have each once, the next as many have each once more together with another one, and so on in
 * turn. `named`: that one instead, or several joined by `+`.
 */
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
  // Never itself: some of the others, counted on from it.
  const other = scenarios[(at + 1 + Math.floor(random() * (count - 1))) % count];
  if (one === undefined || other === undefined) throw new TypeError('no scenarios');
  return Math.floor(seed / count) % 2 === 0 ? [one] : [one, other];
}

export function between(random: () => number, [least, most]: readonly [number, number]): number {
  return Math.round(least + random() * (most - least));
}
