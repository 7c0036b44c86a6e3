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
 * Noisy-or: no finding lowers a score. Each, strongest first, gets the points that it adds to those before it. `clear`: Π(1 − strength);
 * `points` add up to the rest of the span.
 */
export function noisyOr(findings: readonly Finding[]): { clear: number; points: Contribution[] } {
  const ordered = findings.filter((finding) => finding.strength > 0).toSorted((a, b) => b.strength - a.strength || compare(a.key, b.key));
  let clear = 1;
  const points = ordered.map(({ key, strength }) => {
    const added = span * clear * Math.min(strength, 1);
    clear *= 1 - Math.min(strength, 1);
    return { key, points: added };
  });
  return { clear, points };
}

/** Scales the points, so that with the base they add up to the rounded score. */
export function rounded(exact: number, points: readonly Contribution[]): { score: number; contributions: Contribution[] } {
  const score = Math.round(exact);
  const scale = exact > minScore ? (score - minScore) / (exact - minScore) : 0;
  const scaled = points.map(({ key, points: of }) => ({ key, points: of * scale }));
  return { score, contributions: [{ key: 'base', points: minScore }, ...scaled] };
}

/** By code unit, independent of the locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
