import type { Lookup } from '../attribution/lookup.ts';
import { traceReceipts, type TracedReceipts } from '../attribution/receipts.ts';
import type { Life } from '../attribution/select.ts';
import { addFlows, flowOf, noFlow } from '../flow.ts';
import { noSide, type SideSummary } from '../result.ts';
import type { Flow, Flows, Side } from '../store.ts';
import { attribution } from '../weights.ts';
import { type SideLine, sideLines } from './exposures.ts';
import { isIllicit } from './limits.ts';
import { type KindMass, massesOf, type SideMasses } from './masses.ts';
import { scoreSide, type SideSettings } from './score.ts';

export interface AssessedSide {
  readonly masses: SideMasses;
  readonly summary: SideSummary;
  readonly lines: readonly SideLine[];
}

interface AssessOptions {
  readonly settings: SideSettings;
  /** Otherwise the subject alone is read, for direct contact. */
  readonly isCounted: boolean;
}

export async function assessSide(lookup: Lookup, life: Life, side: Side, { settings, isCounted }: AssessOptions): Promise<AssessedSide> {
  const limits = { ...attribution, least_usd: settings.high_usd };
  const traced = await traceReceipts(lookup, life, side, isCounted ? limits : { ...limits, most_addresses: 1 });
  const masses = massesOf(traced);
  const { score, upper } = scoreSide(masses, settings);
  return {
    masses,
    summary: { ...sharesOf(masses), counted: isCounted, total: totalOf(traced), score, upper_score: upper, addresses: traced.addresses },
    lines: sideLines(traced, masses),
  };
}

/** Of a service nothing is read but the sums. */
export function serviceSide(side: Side, flows: Flows | undefined): AssessedSide {
  const masses = { side, total: 0, byKind: [], unread: 0, unreadWeighted: 0, valued: false, peers: { in: 0, out: 0 } };
  return { masses, summary: { ...noSide, total: flows?.total ?? noFlow }, lines: [] };
}

function totalOf({ receipts, rest }: TracedReceipts): Flow {
  const listed = receipts.map(({ payment }) => flowOf(payment.movement.usd));
  return [...listed, ...rest.direct.map(({ flow }) => flow), rest.clean, rest.unread].reduce<Flow>(addFlows, noFlow);
}

function sharesOf(masses: SideMasses): Pick<SideSummary, 'direct' | 'traced' | 'unread' | 'illicit_usd'> {
  const sum = (kinds: readonly KindMass[], field: 'direct' | 'traced' | 'directUsd' | 'tracedUsd'): number =>
    kinds.reduce((total, kind) => total + kind[field], 0);
  const share = (usd: number): number => (masses.total > 0 ? Math.min(usd / masses.total, 1) : 0);
  const illicit = masses.byKind.filter(isIllicit);
  return {
    direct: share(sum(masses.byKind, 'direct')),
    traced: share(sum(masses.byKind, 'traced')),
    unread: share(masses.unread),
    illicit_usd: { direct: sum(illicit, 'directUsd'), traced: sum(illicit, 'tracedUsd') },
  };
}
