import type { Lookup } from '../attribution/lookup.ts';
import { traceReceipts, type TracedReceipts } from '../attribution/receipts.ts';
import type { Life } from '../attribution/select.ts';
import { addFlows, flowOf, noFlow } from '../flow.ts';
import { noSide, type SideSummary } from '../result.ts';
import type { Flow, Flows, Side } from '../store.ts';
import { attribution } from '../weights.ts';
import { joinLines, type SideLine, sideLines } from './exposures.ts';
import { illicitUsd } from './limits.ts';
import { type KindMass, massesOf, type SideMasses } from './masses.ts';
import { scoreSide, type SideSettings } from './score.ts';

export interface AssessedSide {
  /** One for each view of the side: the worst counts. */
  readonly masses: readonly SideMasses[];
  /** Of the worst. */
  readonly summary: SideSummary;
  readonly lines: readonly SideLine[];
}

interface AssessOptions {
  readonly settings: SideSettings;
  /** Otherwise the subject alone is read, for direct contact. */
  readonly isCounted: boolean;
  /** Part of the side that may stay unread. That of the method if absent. */
  readonly mostUnread?: number;
}

export async function assessSide(lookup: Lookup, life: Life, side: Side, options: AssessOptions): Promise<AssessedSide> {
  const { settings, isCounted, mostUnread = attribution.most_unread } = options;
  const limits = { ...attribution, most_unread: mostUnread, least_usd: settings.high_usd };
  const traced = await traceReceipts(lookup, life, side, isCounted ? limits : { ...limits, most_addresses: 1 });
  const views = traced.map((receipts) => {
    const masses = massesOf(receipts);
    return { masses, ...scoreSide(masses, settings), illicit: illicitUsd(masses), lines: sideLines(receipts, masses) };
  });
  const [first] = traced;
  const [worst, ...others] = views.toSorted((a, b) => b.score - a.score);
  if (worst === undefined) throw new Error('a side has no view');
  const { masses, score } = worst;
  const illicit_usd = views.map(({ illicit }) => illicit).reduce((most, one) => (usdOf(one) > usdOf(most) ? one : most));
  return {
    masses: views.map((view) => view.masses),
    summary: {
      ...sharesOf(masses),
      illicit_usd,
      counted: isCounted,
      total: totalOf(first),
      score,
      upper_score: Math.max(...views.map(({ upper }) => upper)),
      addresses: first.addresses,
    },
    lines: others.reduce((lines, other) => joinLines(lines, other.lines), worst.lines),
  };
}

function usdOf({ direct, traced }: SideSummary['illicit_usd']): number {
  return direct + traced;
}

/** Of a service nothing is read but the sums. */
export function serviceSide(side: Side, flows: Flows | undefined): AssessedSide {
  const masses = { side, total: 0, byKind: [], unread: 0, unreadWeighted: 0, doubtfulUsd: 0, valued: false, peers: { in: 0, out: 0 } };
  return { masses: [masses], summary: { ...noSide, total: flows?.total ?? noFlow }, lines: [] };
}

function totalOf({ receipts, rest }: TracedReceipts): Flow {
  const listed = [...new Set(receipts.map(({ payment }) => payment.movement))].map(({ usd }) => flowOf(usd));
  return [...listed, ...rest.direct.map(({ flow }) => flow), rest.clean, rest.unread].reduce<Flow>(addFlows, noFlow);
}

function sharesOf(masses: SideMasses): Pick<SideSummary, 'direct' | 'traced' | 'unread'> {
  const sum = (kinds: readonly KindMass[], field: 'direct' | 'traced'): number => kinds.reduce((total, kind) => total + kind[field], 0);
  const share = (usd: number): number => (masses.total > 0 ? Math.min(usd / masses.total, 1) : 0);
  return {
    direct: share(sum(masses.byKind, 'direct')),
    traced: share(sum(masses.byKind, 'traced')),
    unread: share(masses.unread),
  };
}
