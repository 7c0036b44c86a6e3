import { combine, type Contribution, type Finding, type Level, levelOf } from './combine.ts';
import { type CategoryShare, exposureFindings } from './exposures/findings.ts';
import type { Counterfactual } from './result.ts';

export interface Grounds {
  readonly own: readonly Finding[];
  readonly shares: readonly CategoryShare[];
}

export interface Score {
  readonly score: number;
  readonly level: Level;
  readonly contributions: readonly Contribution[];
  readonly counterfactuals: readonly Counterfactual[];
}

export function scoreOf(grounds: Grounds): Score {
  const { score, contributions } = combine(findingsOf(grounds));
  const level = levelOf(score);
  const counterfactuals = contributions
    .slice(1)
    .map(({ key }) => {
      const without = combine(findingsOf(leaveOut(grounds, key))).score;
      return { without: key, score: without, level: levelOf(without) };
    })
    .filter((other) => other.level !== level);
  return { score, level, contributions, counterfactuals };
}

function findingsOf({ own, shares }: Grounds): Finding[] {
  return [...own, ...exposureFindings(shares)];
}

/** Removes the share too: without direct flows the category's indirect ones weigh more. */
function leaveOut({ own, shares }: Grounds, key: string): Grounds {
  return {
    own: own.filter((finding) => finding.key !== key),
    shares: shares.map((share) => ({
      ...share,
      ...(key === `exposure:${share.category}` ? { direct: 0 } : {}),
      ...(key === `indirect:${share.category}` ? { indirect: 0 } : {}),
    })),
  };
}
