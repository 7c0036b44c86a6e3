import { sideWeights, weightOf } from '../weights.ts';
import { type KindMass, noDirect, type SideMasses } from './masses.ts';
import type { SideSettings } from './score.ts';

/** `least` or `most`: the score's bound. */
export interface Limit {
  readonly key: string;
  readonly least?: number;
  readonly most?: number;
}

/** The least scores of their levels. */
export const moderate = 31;
export const high = 71;
const mostLow = 30;
const mostModerate = 70;
const mostHigh = 90;

/** Floors before caps. `scoreOf`: of the same side with other masses. */
export function limitsOf(masses: SideMasses, settings: SideSettings, scoreOf: (masses: SideMasses) => number): Limit[] {
  return masses.side === 'in'
    ? [...receivedFloors(masses, settings), ...dustCap(masses, scoreOf), ...refundCap(masses, scoreOf)]
    : [...paidFloors(masses), ...paidCap(masses, scoreOf)];
}

function receivedFloors(masses: SideMasses, { high_usd }: SideSettings): Limit[] {
  const { direct, traced } = illicitUsd(masses);
  const floors: Limit[] = [];
  if (direct + traced >= high_usd) floors.push({ key: 'floor:illicit_usd', least: looksLikeService(masses) ? moderate : high });
  if (direct >= sideWeights.direct_moderate_usd) floors.push({ key: 'floor:direct_usd', least: moderate });
  return floors;
}

function looksLikeService({ peers, total, byKind }: SideMasses): boolean {
  const share = byKind.reduce((usd, mass) => usd + countedPart(mass) * (mass.direct + mass.traced), 0) / total;
  return Math.min(peers.in, peers.out) >= sideWeights.service_peers && share < sideWeights.service_share;
}

/** Small sums that were received accuse nobody, nor does what has no known value: anybody can send both. */
function dustCap(masses: SideMasses, scoreOf: (masses: SideMasses) => number): Limit[] {
  const { byKind, total } = masses;
  const { dust_usd, dust_share, small_dust_usd, severe_usd } = sideWeights;
  const usd = sum(byKind, 'direct') + sum(byKind, 'traced');
  const unknown = sum(byKind, 'directUnknown') + sum(byKind, 'tracedUnknown');
  const known = usd - unknown;
  if (known < dust_usd && usd / total < dust_share) return [{ key: 'cap:dust', most: mostLow }];
  if (known < small_dust_usd && unknown === 0) return [{ key: 'cap:dust', most: mostModerate }];
  if (known < severe_usd) return [{ key: 'cap:dust', most: mostHigh }];
  return unknown > 0 ? [{ key: 'cap:dust', most: Math.max(mostHigh, scoreOf(ofKnownValue(masses, unknown))) }] : [];
}

/** As if tokens of risks without a price were worth nothing. */
function ofKnownValue(masses: SideMasses, unknown: number): SideMasses {
  const byKind = masses.byKind.map((mass) => {
    const [direct, traced] = [partOf(mass.direct, mass.directUnknown), partOf(mass.traced, mass.tracedUnknown)];
    return {
      ...mass,
      direct: mass.direct * direct,
      directWeighted: mass.directWeighted * direct,
      directUnknown: 0,
      traced: mass.traced * traced,
      weighted: mass.weighted * traced,
      tracedUnknown: 0,
    };
  });
  return { ...masses, total: masses.total - unknown, byKind };
}

/** Of known value, 0 to 1. */
function partOf(usd: number, unknown: number): number {
  return usd > 0 ? Math.max(1 - unknown / usd, 0) : 0;
}

/** Whom a thief pays back is his victim: that much alone is never Severe. */
function refundCap(masses: SideMasses, scoreOf: (masses: SideMasses) => number): Limit[] {
  if (sum(masses.byKind, 'refunded') === 0) return [];
  const byKind = masses.byKind.map((mass) => {
    const kept = mass.direct > 0 ? 1 - mass.refunded / mass.direct : 1;
    return {
      ...mass,
      direct: mass.direct * kept,
      directWeighted: mass.directWeighted * kept,
      directUsd: mass.directUsd * kept,
      refunded: 0,
    };
  });
  return [{ key: 'cap:refund', most: Math.max(mostHigh, scoreOf({ ...masses, byKind })) }];
}

function paidFloors({ byKind }: SideMasses): Limit[] {
  const refused = byKind.filter(({ kind }) => !kind.suspected && sideWeights.refused_categories.includes(kind.category));
  return sum(refused, 'directUsd') >= sideWeights.sanctioned_payment_usd ? [{ key: 'floor:refused', least: high }] : [];
}

/** Whoever pays a thief may be his victim, whomever else he pays, and nobody answers for what others do with his money. */
function paidCap(masses: SideMasses, scoreOf: (masses: SideMasses) => number): Limit[] {
  const { byKind, valued } = masses;
  const contacts = byKind.filter(({ direct }) => direct > 0);
  if (contacts.length === 0) return [{ key: 'cap:no_contact', most: mostModerate }];
  if (contacts.some(isVictims)) {
    const others = byKind.map((mass) => (isVictims(mass) ? { ...mass, ...noDirect } : mass));
    return [{ key: 'cap:victim', most: Math.max(mostHigh, scoreOf({ ...masses, byKind: others })) }];
  }
  return valued && sum(contacts, 'directUsd') < sideWeights.dust_usd ? [{ key: 'cap:dust', most: mostHigh }] : [];
}

function isVictims({ kind }: KindMass): boolean {
  return sideWeights.victims_categories.includes(kind.category);
}

/** Of known value, against limits in USD. */
export function illicitUsd({ byKind }: SideMasses): { direct: number; traced: number } {
  const usd = (field: 'directUsd' | 'tracedUsd'): number => byKind.reduce((all, mass) => all + countedPart(mass) * mass[field], 0);
  return { direct: usd('directUsd'), traced: usd('tracedUsd') };
}

/** Mixers and gambling are lawful. A suspicion counts in part, as in its weight. */
function countedPart({ kind }: KindMass): number {
  const whole = kind.suspected ? weightOf(kind.category).exposure : kind.weight;
  return whole >= sideWeights.illicit_from ? kind.weight / whole : 0;
}

function sum(kinds: readonly KindMass[], field: keyof Omit<KindMass, 'kind'>): number {
  return kinds.reduce((total, kind) => total + kind[field], 0);
}
