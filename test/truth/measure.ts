import type { World } from './background.ts';

export interface Measured {
  readonly method: string;
  /** Parts of the launderers. Null for a method without levels. */
  readonly recall_high: number | null;
  readonly recall_moderate: number | null;
  /**
   * Parts of the benign: High or worse though no launderer paid them, of these the ones that no stolen money reached through others
   * either, High or worse and paid, Moderate or worse.
   */
  readonly false_high_unpaid: number | null;
  readonly false_high_unreached: number | null;
  readonly false_high_paid: number | null;
  readonly false_moderate: number | null;
  readonly auc: number;
  /** Part of the launderers found at 1 % false positives. */
  readonly tpr_at_1_percent: number;
}

/** Values of all addresses: `rank` orders them, `score` has the levels of the answer. */
export interface Values {
  readonly rank: (address: string) => number;
  readonly score?: (address: string) => number;
}

/** `reached`: by stolen money, also through others. */
export function measure(method: string, world: World & { readonly reached: ReadonlySet<string> }, { rank, score }: Values): Measured {
  const { launderers, benign, paid, reached } = world;
  const unpaid = benign.filter((address) => !paid.has(address));
  const part = (addresses: readonly string[], all: readonly string[], least: number): number | null =>
    score === undefined ? null : round(addresses.filter((address) => score(address) >= least).length / all.length);
  const [worse, better] = [launderers.map(rank), benign.map(rank)];
  return {
    method,
    recall_high: part(launderers, launderers, 71),
    recall_moderate: part(launderers, launderers, 31),
    false_high_unpaid: part(unpaid, benign, 71),
    false_high_unreached: part(
      unpaid.filter((address) => !reached.has(address)),
      benign,
      71,
    ),
    false_high_paid: part([...paid], benign, 71),
    false_moderate: part(benign, benign, 31),
    auc: round(aucOf(worse, better)),
    tpr_at_1_percent: round(tprOf(worse, better, 0.01)),
  };
}

/** Sums of many numbers may differ in their last digits from machine to machine. */
function round(value: number): number {
  return Number(value.toFixed(4));
}

/** How often a random one of the worse is above a random one of the better; half for a tie (Mann and Whitney). */
export function aucOf(worse: readonly number[], better: readonly number[]): number {
  const all = [...worse.map((value) => ({ value, worse: true })), ...better.map((value) => ({ value, worse: false }))];
  let ranks = 0;
  let before = 0;
  const groups = Map.groupBy(all, ({ value }) => value);
  for (const [, group] of [...groups].sort(([a], [b]) => a - b)) {
    ranks += group.filter((each) => each.worse).length * (before + (group.length + 1) / 2);
    before += group.length;
  }
  return (ranks - (worse.length * (worse.length + 1)) / 2) / (worse.length * better.length);
}

/** Part of the worse above the threshold that at most `falsePositives` of the better are above. */
export function tprOf(worse: readonly number[], better: readonly number[], falsePositives: number): number {
  const threshold = better.toSorted((a, b) => b - a)[Math.floor(better.length * falsePositives)] ?? 0;
  return worse.filter((value) => value > threshold).length / worse.length;
}

/** The score that a share of theft alone had with direct payments: the same curve for all methods that give shares. */
export function scoreOfShare(share: number): number {
  return 3 + Math.round(97 * 0.91 * (1 - (1 - Math.min(share, 1)) ** 8));
}
