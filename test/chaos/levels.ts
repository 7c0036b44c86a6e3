import type { RiskLevel } from '@weir/contracts';

/** Derived from the subject, so a decision with another level used another subject's result. */
export function levelOf(subject: string): RiskLevel {
  const digit = Number.parseInt(subject.at(-1) ?? '0', 16);
  return digit < 10 ? 'Low' : digit < 13 ? 'Moderate' : digit < 15 ? 'High' : 'Severe';
}

/** A score in the middle of the level's band. */
export const scoreOf: Readonly<Record<RiskLevel, number>> = { Low: 10, Moderate: 50, High: 80, Severe: 95 };
