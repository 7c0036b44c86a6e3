import { fifo, haircut, poison } from './baselines/shares.ts';
import { pagerank } from './baselines/pagerank.ts';
import { untimedHaircut } from './baselines/untimed-haircut.ts';
import type { Movement, Roles } from './movements.ts';

/** Known methods, for comparison. Each gives addresses a value that is larger for a worse one; absent addresses have 0. */
export interface Baseline {
  readonly name: string;
  /** Whether the value is a share of the money received, to which a level belongs. */
  readonly isShare: boolean;
  readonly trace: (movements: readonly Movement[], roles: Roles) => ReadonlyMap<string, number>;
}

export const baselines: readonly Baseline[] = [
  { name: 'haircut', isShare: true, trace: untimedHaircut },
  { name: 'haircut in time order', isShare: true, trace: haircut },
  { name: 'FIFO', isShare: true, trace: fifo },
  { name: 'poison', isShare: true, trace: poison },
  { name: 'personalised PageRank', isShare: false, trace: pagerank },
];
