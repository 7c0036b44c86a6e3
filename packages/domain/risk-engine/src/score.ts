import { type Contribution, type Finding, type Level, levelOf, noisyOr, rounded } from './combine.ts';
import { ownFindings } from './labels.ts';
import type { Counterfactual } from './result.ts';
import { noDirect, type SideMasses } from './sides/masses.ts';
import { findingKey, scoreSide, type SideScore, type SideSettings, unreadKey } from './sides/score.ts';
import type { Label } from './store.ts';

export interface Grounds {
  readonly own: readonly Label[];
  /** An accusation does not count because the address is a known service. */
  readonly contested: boolean;
  /** Those that count. */
  readonly sides: readonly SideMasses[];
  readonly settings: SideSettings;
}

export interface Score {
  readonly score: number;
  readonly level: Level;
  readonly exact: number;
  readonly contributions: readonly Contribution[];
  readonly counterfactuals: readonly Counterfactual[];
}

export function scoreOf({ own, contested, sides, settings }: Grounds): Score {
  const findings = ownFindings(own, contested);
  const found = joined(findings, sides, settings);
  const level = levelOf(found.score);
  const counterfactuals = found.contributions
    .filter(({ key }) => isFinding(key))
    .map(({ key }) => {
      const others = findings.filter((finding) => finding.key !== key);
      const { score } = joined(
        others,
        sides.map((side) => leaveOut(side, key)),
        settings,
      );
      return { without: key, score, level: levelOf(score) };
    })
    .filter((other) => other.level !== level);
  return { ...found, level, counterfactuals };
}

const noScore: SideScore = { score: 3, upper: 3, contributions: [] };

/** Own labels first; the worse side has what they leave of the way to 100. */
function joined(
  findings: readonly Finding[],
  sides: readonly SideMasses[],
  settings: SideSettings,
): Pick<Score, 'score' | 'exact' | 'contributions'> {
  const scores = sides.map((side) => scoreSide(side, settings));
  const worst = scores.toSorted((a, b) => b.score - a.score)[0] ?? noScore;
  const own = noisyOr(findings);
  const exact = 100 - own.clear * (100 - worst.score);
  const points = [...own.points, ...worst.contributions.map(({ key, points: of }) => ({ key, points: of * own.clear }))];
  return { exact, ...rounded(exact, points) };
}

/** Floors and caps are rules; the unread money behind one of them is a finding. */
function isFinding(key: string): boolean {
  return key !== 'base' && (key.endsWith(unreadKey) || !/^(in|out):(floor|cap):/.test(key));
}

/** The money stays in the total, as if nothing were known against it. */
function leaveOut(masses: SideMasses, key: string): SideMasses {
  const { side, byKind } = masses;
  if (key === `${side}:${unreadKey}`) return { ...masses, unread: 0, unreadWeighted: 0, doubtfulUsd: 0 };
  return {
    ...masses,
    byKind: byKind.map((mass) => ({
      ...mass,
      ...(key === findingKey(side, 'direct', mass.kind) ? noDirect : {}),
      ...(key === findingKey(side, 'traced', mass.kind) ? { traced: 0, weighted: 0, tracedUsd: 0, tracedUnknown: 0 } : {}),
    })),
  };
}
