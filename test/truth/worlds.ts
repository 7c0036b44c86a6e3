import { type Background, type World, worldOf } from './background.ts';
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
    background: { people: 1_000, exchanges: 12, payments: [5, 14], median: 150, sigma: 1.6, dusted: 0.1, paid: 0.03 },
    laundering: { loot: 300_000, first: 2, cashBelow: 1_500, mostWallets: 220, split: 0.35, peel: 0.1, swap: 0.05, collect: 0.2 },
    seeds: [501, 502, 503],
  },
};

const ownMoney: readonly number[] = [0, 0.3];
const percent = (part: number): string => `own clean money ${100 * part} %`;

/** One world for each amount of own money, of separate thefts. */
export function* generatedWorlds(part: Part): Generator<World> {
  const { background, laundering, seeds } = settings[part];
  for (const own of ownMoney) {
    const worlds = seeds.map((seed) =>
      worldOf(generatedTheft('', laundering, new Story(seed)), { ...background, ownMoney: own }, new Story(seed + 10_000)),
    );
    yield {
      name: `generated thefts, ${percent(own)}`,
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
      const name = `${theft.name}, ${percent(own)}`;
      yield worldOf({ ...theft, name }, { ...background, people: 4_000, ownMoney: own }, new Story((seeds[0] ?? 0) + 20_000));
    }
  }
}
