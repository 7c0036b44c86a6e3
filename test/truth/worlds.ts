import { type Background, type OwnMoney, type World, worldOf } from './background.ts';
import type { Part } from './cases.ts';
import { generatedTheft, type Laundering } from './generated-theft.ts';
import { mftracerTheft, roninTheft } from './hacks.ts';
import { Story } from './story.ts';

interface Setting {
  readonly background: Omit<Background, 'ownMoney'>;
  readonly laundering: Laundering;
  readonly seeds: readonly number[];
}

/** The held-out part has other seeds and other parameters. */
const settings: Readonly<Record<Part, Setting>> = {
  tuned: {
    background: { people: 1_000, exchanges: 30, payments: [3, 8], median: 300, sigma: 2, dusted: 0.05, paid: 0.05 },
    laundering: { loot: 2_000_000, first: 4, cashBelow: 8_000, mostWallets: 150, split: 0.25, peel: 0.2, swap: 0.1, collect: 0.1 },
    seeds: [1, 2],
  },
  heldOut: {
    background: { people: 1_000, exchanges: 16, payments: [4, 12], median: 180, sigma: 1.7, dusted: 0.08, paid: 0.04 },
    laundering: { loot: 450_000, first: 3, cashBelow: 2_000, mostWallets: 200, split: 0.3, peel: 0.15, swap: 0.05, collect: 0.15 },
    seeds: [531, 532, 533],
  },
};

const ownMoney: readonly OwnMoney[] = [
  { part: 0, when: 'before' },
  { part: 0.3, when: 'before' },
  { part: 0.3, when: 'after' },
];
const wordsOf = ({ part, when }: OwnMoney): string => `own clean money ${100 * part} %${part > 0 ? ` ${when}` : ''}`;

/** One world for each amount of own money, of separate thefts. */
export function* generatedWorlds(part: Part): Generator<World> {
  const { background, laundering, seeds } = settings[part];
  for (const own of ownMoney) {
    const worlds = seeds.map((seed) =>
      worldOf(generatedTheft('', laundering, new Story(seed)), { ...background, ownMoney: own }, new Story(seed + 10_000)),
    );
    yield {
      name: `generated thefts, ${wordsOf(own)}`,
      chain: 'ethereum',
      movements: worlds.flatMap(({ movements }) => movements),
      labels: worlds.flatMap(({ labels }) => labels),
      launderers: worlds.flatMap(({ launderers }) => launderers),
      benign: worlds.flatMap(({ benign }) => benign),
      paid: new Set(worlds.flatMap(({ paid }) => [...paid])),
    };
  }
}

/** The hacks of a folder with the data of `transfers/mftracer_…` and `transfers/ronin_lazarus_dune.csv`. */
export function* hackWorlds(part: Part, folder: string): Generator<World> {
  const thefts = part === 'tuned' ? [mftracerTheft(folder, 'LIFI')] : [mftracerTheft(folder, 'TxPhish'), roninTheft(folder)];
  const { background, seeds } = settings[part];
  for (const theft of thefts) {
    for (const own of ownMoney) {
      const name = `${theft.name}, ${wordsOf(own)}`;
      yield worldOf({ ...theft, name }, { ...background, people: 4_000, ownMoney: own }, new Story((seeds[0] ?? 0) + 20_000));
    }
  }
}
