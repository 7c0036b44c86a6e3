import { compare, type Contribution } from '../combine.ts';
import { sideWeights, weightOf } from '../weights.ts';
import type { Side } from '../store.ts';
import { high, illicitUsd, limitsOf, moderate } from './limits.ts';
import { type KindMass, noMass, type SideMasses } from './masses.ts';

export interface SideSettings {
  /** As much illicit money is High, however much other money there is. USD. */
  readonly high_usd: number;
}

export interface SideScore {
  /** 3 to 100, not rounded. */
  readonly score: number;
  /** If all money that was not read were stolen. Limits in USD count known money only, or every busy address would be High. */
  readonly upper: number;
  /** Without the base of 3; they add up to the rest of the score. Floors add, caps subtract. */
  readonly contributions: readonly Contribution[];
}

/** Nothing is known against the side. */
const base = 3;
const span = 97;

/** After the side. */
export const unreadKey = 'floor:unread';

/** Money that was not read and could make the side High, by its share or by its value, asks for a person's look. */
export function scoreSide(masses: SideMasses, settings: SideSettings = sideWeights): SideScore {
  const found = scoreKnown(masses, settings);
  const upper = scoreKnown({ ...masses, byKind: [...masses.byKind, unreadAsTheft(masses)] }, settings).score;
  if (found.score >= moderate || (upper < high && !isMuchInDoubt(masses, settings))) return { ...found, upper };
  const unread = { key: `${masses.side}:${unreadKey}`, points: moderate - found.score };
  return { score: moderate, upper, contributions: [...found.contributions, unread] };
}

/** Other money must not hide what exhausts a reading. Nobody answers for what others do with his money. */
function isMuchInDoubt(masses: SideMasses, { high_usd }: SideSettings): boolean {
  if (masses.side === 'out' || masses.doubtfulUsd === 0) return false;
  const { direct, traced } = illicitUsd(masses);
  return direct + traced + masses.doubtfulUsd >= high_usd;
}

/** score = 3 + 97 · min(max E, 1 - (1 - direct)(1 - traced)), then floors, then caps. */
function scoreKnown(masses: SideMasses, settings: SideSettings): Omit<SideScore, 'upper'> {
  const shares = shareContributions(masses);
  const contributions = [...shares];
  let score = base + shares.reduce((sum, { points }) => sum + points, 0);
  for (const { key, least = -Infinity, most = Infinity } of limitsOf(masses, settings, (other) => scoreKnown(other, settings).score)) {
    const limited = Math.min(Math.max(score, least), most);
    if (limited !== score) contributions.push({ key: `${masses.side}:${key}`, points: limited - score });
    score = limited;
  }
  return { score, contributions };
}

function unreadAsTheft({ unread, unreadWeighted }: SideMasses): KindMass {
  const kind = { category: 'unread', suspected: false, weight: weightOf('theft').exposure };
  return { ...noMass, kind, traced: unread, weighted: unreadWeighted };
}

/** The key of what one kind of source contributes. */
export function findingKey(side: Side, link: 'direct' | 'traced', { category, suspected }: KindMass['kind']): string {
  return `${side}:${link}:${category}${suspected ? '?' : ''}`;
}

interface Layer {
  readonly key: string;
  readonly usd: number;
  readonly weight: number;
}

function shareContributions(masses: SideMasses): Contribution[] {
  const { side, byKind } = masses;
  const layers = (link: 'direct' | 'traced', usd: (kind: KindMass) => number, weighted: typeof usd): Layer[] =>
    byKind
      .filter((kind) => usd(kind) > 0)
      .map((kind) => ({
        key: findingKey(side, link, kind.kind),
        usd: usd(kind),
        weight: (kind.kind.weight * weighted(kind)) / usd(kind),
      }));
  const direct = layered(
    layers(
      'direct',
      (kind) => kind.direct,
      (kind) => kind.directWeighted,
    ),
    masses.total,
    sideWeights.direct_exponent,
  );
  const traced = layered(
    layers(
      'traced',
      (kind) => kind.traced,
      (kind) => kind.weighted,
    ),
    masses.total,
    sideWeights.traced_exponent,
  );
  const clear = 1 - strengthOf(direct);
  const all = [...direct, ...traced.map(({ key, strength }) => ({ key, strength: strength * clear }))];
  const most = Math.max(...byKind.filter((kind) => kind.direct + kind.traced > 0).map(({ kind }) => kind.weight), 0);
  const scale = strengthOf(all) > most ? most / strengthOf(all) : 1;
  return all.map(({ key, strength }) => ({ key, points: span * strength * scale }));
}

interface Strength {
  readonly key: string;
  readonly strength: number;
}

/**
 * The worst first, each by what its share adds to 1 - (1 - share)^exponent. For one category this is weight · f(share).
 * A mean weight over all categories would let gambling lower the score of a thief.
 */
function layered(layers: readonly Layer[], total: number, exponent: number): Strength[] {
  const felt = (usd: number): number => 1 - (1 - Math.min(usd / total, 1)) ** exponent;
  let below = 0;
  return layers
    .toSorted((a, b) => b.weight - a.weight || compare(a.key, b.key))
    .map(({ key, usd, weight }) => {
      const strength = weight * (felt(below + usd) - felt(below));
      below += usd;
      return { key, strength };
    });
}

function strengthOf(strengths: readonly Strength[]): number {
  return strengths.reduce((sum, { strength }) => sum + strength, 0);
}
