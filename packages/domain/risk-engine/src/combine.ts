/** Nothing is known against the subject. */
const minScore = 3;
const span = 97;

export const levels = ['Low', 'Moderate', 'High', 'Severe'] as const;
export type Level = (typeof levels)[number];

/** The specification's bands: 0–30, 31–70, 71–90, 91–100. */
export function levelOf(score: number): Level {
  if (score >= 91) return 'Severe';
  if (score >= 71) return 'High';
  return score >= 31 ? 'Moderate' : 'Low';
}

/** `strength` (0 to 1): how far this finding alone moves the score from lowest to highest. */
export interface Finding {
  readonly key: string;
  readonly strength: number;
}

export interface Contribution {
  readonly key: string;
  readonly points: number;
}

/**
 * Noisy-or: score = 3 + 97 · (1 − Π(1 − strength)), rounded. No finding lowers it. Each, strongest first, gets the points that it adds
 * to those before it; with the base of 3 they add up to the score.
 */
export function combine(findings: readonly Finding[]): { score: number; contributions: Contribution[] } {
  const ordered = findings.filter((finding) => finding.strength > 0).toSorted((a, b) => b.strength - a.strength || compare(a.key, b.key));
  let clear = 1;
  const raw = ordered.map(({ key, strength }) => {
    const points = span * clear * Math.min(strength, 1);
    clear *= 1 - Math.min(strength, 1);
    return { key, points };
  });
  const exact = span * (1 - clear);
  const score = minScore + Math.round(exact);
  const scale = exact > 0 ? (score - minScore) / exact : 0;
  return {
    score,
    contributions: [{ key: 'base', points: minScore }, ...raw.map(({ key, points }) => ({ key, points: points * scale }))],
  };
}

/** By code unit, independent of the locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
