import { createLookup, type Lookup } from '../attribution/lookup.ts';
import { traceReceipts } from '../attribution/receipts.ts';
import { type Contribution, type Level, levelOf, noisyOr, rounded } from '../combine.ts';
import { isService, ownFindings } from '../labels.ts';
import type { Label, RiskStore, Side } from '../store.ts';
import { attribution, sideWeights } from '../weights.ts';
import { type SideExposure, sideExposures } from './exposures.ts';
import { high, moderate } from './limits.ts';
import { type KindMass, massesOf, type SideMasses } from './masses.ts';
import { scoreSide, type SideScore, type SideSettings, upperScore } from './score.ts';

/** Source of funds (`in`) or use of funds (`out`). */
export interface SideAssessment {
  /** 3 to 100, not rounded. */
  readonly score: number;
  /** Shares of the side (0 to 1). The true illicit share is at most `unread` more than `direct` and `traced`. */
  readonly direct: number;
  readonly traced: number;
  readonly unread: number;
  /** Against limits in USD: theft, sanctions and the like. */
  readonly illicit_usd: { readonly direct: number; readonly traced: number };
  /** The score if all that was not read were stolen. */
  readonly upper_score: number;
  /** Addresses whose transfers were read. */
  readonly addresses: number;
  /** Largest first. */
  readonly exposures: readonly SideExposure[];
}

export interface SidesAssessment {
  readonly score: number;
  readonly level: Level;
  /** Not rounded, to order by. */
  readonly exact: number;
  /** `base`, `own:<category>`, and those of the worse side; they add up to the score. */
  readonly contributions: readonly Contribution[];
  readonly sides: Readonly<Record<Side, SideAssessment>>;
}

export interface AssessOptions {
  /** Those that count: `in` alone for who sends a deposit. Both if absent. */
  readonly sides?: readonly Side[];
  readonly settings?: SideSettings;
}

/** The worse side is the score, beside the address's own labels. */
export async function assessSides(
  store: RiskStore,
  chain: string,
  address: string,
  atMs: number,
  options: AssessOptions = {},
): Promise<SidesAssessment> {
  const { sides = ['in', 'out'], settings = sideWeights } = options;
  const lookup = createLookup(store, chain, atMs);
  const labels = (await lookup.labelsOf([address])).get(address) ?? [];
  const found = {
    in: await assessSide(lookup, address, 'in', labels, settings),
    out: await assessSide(lookup, address, 'out', labels, settings),
  };
  const worst = sides.map((side) => found[side].score).toSorted((a, b) => b.score - a.score)[0] ?? noScore;
  return { ...joined(labels, worst), sides: { in: found.in.assessment, out: found.out.assessment } };
}

const noScore: SideScore = { score: 3, contributions: [] };
const nothing: SideAssessment = {
  score: 3,
  direct: 0,
  traced: 0,
  unread: 0,
  illicit_usd: { direct: 0, traced: 0 },
  upper_score: 3,
  addresses: 0,
  exposures: [],
};

/** A service's counterparties are its customers', so its sides are not read. */
async function assessSide(
  lookup: Lookup,
  address: string,
  side: Side,
  labels: readonly Label[],
  settings: SideSettings,
): Promise<{ readonly score: SideScore; readonly assessment: SideAssessment }> {
  if (isService(labels)) return { score: noScore, assessment: nothing };
  const traced = await traceReceipts(lookup, address, side, { ...attribution, least_usd: settings.high_usd });
  const masses = massesOf(traced);
  const upper = upperScore(masses, settings);
  const score = raisedByUnread(side, scoreSide(masses, settings), upper);
  return {
    score,
    assessment: {
      ...summaryOf(masses),
      score: score.score,
      upper_score: upper,
      addresses: traced.addresses,
      exposures: sideExposures(traced, masses.total),
    },
  };
}

/** Money that was not read and could make the side High asks for a person's look. */
function raisedByUnread(side: Side, found: SideScore, upper: number): SideScore {
  if (found.score >= moderate || upper < high) return found;
  return { score: moderate, contributions: [...found.contributions, { key: `${side}:floor:unread`, points: moderate - found.score }] };
}

function summaryOf(masses: SideMasses): Pick<SideAssessment, 'direct' | 'traced' | 'unread' | 'illicit_usd'> {
  const sum = (kinds: readonly KindMass[], field: 'direct' | 'traced' | 'directUsd' | 'tracedUsd'): number =>
    kinds.reduce((total, kind) => total + kind[field], 0);
  const share = (usd: number): number => (masses.total > 0 ? Math.min(usd / masses.total, 1) : 0);
  const illicit = masses.byKind.filter(({ kind }) => kind.weight >= sideWeights.illicit_from);
  return {
    direct: share(sum(masses.byKind, 'direct')),
    traced: share(sum(masses.byKind, 'traced')),
    unread: share(masses.unread),
    illicit_usd: { direct: sum(illicit, 'directUsd'), traced: sum(illicit, 'tracedUsd') },
  };
}

/** Own labels first; the side has what they leave of the way to 100. */
function joined(labels: readonly Label[], side: SideScore): Pick<SidesAssessment, 'score' | 'level' | 'exact' | 'contributions'> {
  const own = noisyOr(ownFindings(labels));
  const exact = 100 - own.clear * (100 - side.score);
  const points = [...own.points, ...side.contributions.map(({ key, points: of }) => ({ key, points: of * own.clear }))];
  const { score, contributions } = rounded(exact, points);
  return { score, level: levelOf(score), exact, contributions };
}
