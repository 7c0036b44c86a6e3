import type { Kind } from '@weir/contracts';
import type { Level } from '@weir/risk-engine';
import { evasions } from './cases/evasions.ts';
import { exhaustions } from './cases/exhaustions.ts';
import { heldOutEvasions, heldOutInnocents } from './cases/held-out.ts';
import { innocents } from './cases/innocents.ts';
import type { Scenario } from './movements.ts';
import { Story } from './story.ts';

/** What a family writes: the address to score, and the chain. */
export interface Told {
  readonly subject: string;
  readonly chain?: string;
}

/** One way to evade, or to be suspected without cause, written from a seed and one parameter. */
export interface Family {
  readonly name: string;
  readonly parameter: string;
  /** The levels that a right score has. */
  readonly expected: { readonly least: Level } | { readonly most: Level };
  /** `tuned`: used while the method is made. `heldOut`: never. */
  /** The subject sends the one, and receives the other. Default `deposit`. */
  readonly kind?: Kind;
  readonly values: Readonly<Record<Part, readonly number[]>>;
  readonly write: (story: Story, value: number, part: Part) => Told;
}

export type Part = 'tuned' | 'heldOut';

export interface Case extends Scenario {
  readonly family: Family;
  readonly name: string;
  readonly part: Part;
  readonly subject: string;
}

export const families: readonly Family[] = [...evasions, ...exhaustions, ...heldOutEvasions, ...innocents, ...heldOutInnocents];

/** Seeds of the two parts never meet. */
const seeds: Readonly<Record<Part, readonly number[]>> = { tuned: [11, 12, 13], heldOut: [941, 942, 943, 944] };

export function casesOf(part: Part): Case[] {
  return families.flatMap((family) =>
    family.values[part].flatMap((value) =>
      seeds[part].map((seed): Case => {
        const story = new Story(seed);
        const { subject, chain } = family.write(story, value, part);
        return { ...story.end(chain), family, part, subject, name: `${family.name}, ${family.parameter} ${value}, seed ${seed}` };
      }),
    ),
  );
}
