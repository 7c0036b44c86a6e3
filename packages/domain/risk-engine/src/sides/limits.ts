import { sideWeights } from '../weights.ts';
import type { KindMass, SideMasses } from './masses.ts';
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

/** Floors before caps. */
export function limitsOf(masses: SideMasses, settings: SideSettings): Limit[] {
  return masses.side === 'in' ? [...receivedFloors(masses, settings), ...dustCap(masses)] : [...paidFloors(masses), ...paidCap(masses)];
}

function receivedFloors(masses: SideMasses, { high_usd }: SideSettings): Limit[] {
  const illicit = masses.byKind.filter(isIllicit);
  const [direct, traced] = [sum(illicit, 'directUsd'), sum(illicit, 'tracedUsd')];
  const floors: Limit[] = [];
  if (direct + traced >= high_usd) floors.push({ key: 'floor:illicit_usd', least: looksLikeService(masses, illicit) ? moderate : high });
  if (direct >= sideWeights.direct_moderate_usd) floors.push({ key: 'floor:direct_usd', least: moderate });
  return floors;
}

function looksLikeService({ peers, total }: SideMasses, illicit: readonly KindMass[]): boolean {
  const share = (sum(illicit, 'direct') + sum(illicit, 'traced')) / total;
  return Math.min(peers.in, peers.out) >= sideWeights.service_peers && share < sideWeights.service_share;
}

/** Small sums that were received accuse nobody. */
function dustCap({ byKind, total, valued }: SideMasses): Limit[] {
  const usd = sum(byKind, 'direct') + sum(byKind, 'traced');
  if (!valued || usd >= sideWeights.dust_usd) return [];
  if (usd / total < sideWeights.dust_share) return [{ key: 'cap:dust', most: mostLow }];
  return [{ key: 'cap:dust', most: usd < sideWeights.small_dust_usd ? mostModerate : mostHigh }];
}

function paidFloors({ byKind }: SideMasses): Limit[] {
  const refused = byKind.filter(({ kind }) => !kind.suspected && sideWeights.refused_categories.includes(kind.category));
  return sum(refused, 'directUsd') >= sideWeights.sanctioned_payment_usd ? [{ key: 'floor:refused', least: high }] : [];
}

/** Whoever pays a thief may be his victim, and nobody answers for what others do with his money. */
function paidCap({ byKind, valued }: SideMasses): Limit[] {
  const contacts = byKind.filter(({ direct }) => direct > 0);
  if (contacts.length === 0) return [{ key: 'cap:no_contact', most: mostModerate }];
  if (contacts.every(({ kind }) => sideWeights.victims_categories.includes(kind.category))) return [{ key: 'cap:victim', most: mostHigh }];
  return valued && sum(contacts, 'directUsd') < sideWeights.dust_usd ? [{ key: 'cap:dust', most: mostHigh }] : [];
}

/** Mixers and gambling are lawful, and a suspicion is no finding. */
export function isIllicit({ kind }: KindMass): boolean {
  return kind.weight >= sideWeights.illicit_from;
}

function sum(kinds: readonly KindMass[], field: 'direct' | 'traced' | 'directUsd' | 'tracedUsd'): number {
  return kinds.reduce((total, kind) => total + kind[field], 0);
}
