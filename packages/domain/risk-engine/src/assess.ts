import type { Lookup } from './attribution/lookup.ts';
import { readLife } from './attribution/select.ts';
import { interactDetails, theftOf } from './details.ts';
import { largestFirst, percentOf } from './exposures.ts';
import { addFlows, shareOf } from './flow.ts';
import { isService, isTheft, ownDetails, worstFirst } from './labels.ts';
import { type Assessment, type Coverage, type Exposure, orderDetails, unknown } from './result.ts';
import { scoreOf } from './score.ts';
import { assessSide, type AssessedSide, serviceSide } from './sides/assess.ts';
import type { SideSettings } from './sides/score.ts';
import type { Label, Side } from './store.ts';
import { type Contradiction, isContested } from './weigh-labels.ts';
import { sideWeights } from './weights.ts';

export interface ScoreOptions {
  /** Those that count: `in` alone for the sender of a deposit. Both if absent. */
  readonly sides?: readonly Side[];
  readonly settings?: SideSettings;
}

export interface Subject {
  readonly address: string;
  /** Those that count. */
  readonly labels: readonly Label[];
  readonly contradictions: readonly Contradiction[];
}

export async function assessAddress(
  lookup: Lookup,
  subject: Subject,
  { sides = ['in', 'out'], settings = sideWeights }: ScoreOptions = {},
): Promise<Assessment> {
  const { known, ...found } = await bothSides(lookup, subject, { sides, settings });
  if (subject.labels.length === 0 && !known) return unknown;
  const own = worstFirst(subject.labels);
  const exposures = exposuresOf(found);
  const { direct, traced } = found.in.summary.illicit_usd;
  return {
    ...scoreOf({ own, contested: subject.contradictions.some(isContested), sides: sides.flatMap((side) => found[side].masses), settings }),
    detail_list: orderDetails([...ownDetails(own, subject.contradictions), ...interactDetails(exposures)]),
    exposures,
    hacking_event: own.find(isTheft)?.name ?? theftOf(exposures),
    address_label: own[0]?.name ?? '',
    coverage: coverageOf(own.length > 0, known),
    labels: own,
    contradictions: subject.contradictions,
    bound: Math.max(...sides.map((side) => found[side].summary.unread)),
    illicit_usd: direct + traced,
    sides: { in: found.in.summary, out: found.out.summary },
  };
}

type BothSides = Readonly<Record<Side, AssessedSide>> & { readonly known: boolean };

/** A service's counterparties are its customers', so its sides are not read. A side that does not count is read for direct contact alone. */
async function bothSides(lookup: Lookup, { address, labels }: Subject, { sides, settings }: Required<ScoreOptions>): Promise<BothSides> {
  if (isService(labels)) {
    const [received, sent] = await Promise.all([lookup.flowsOf(address, 'in'), lookup.flowsOf(address, 'out')]);
    return { known: received !== undefined || sent !== undefined, in: serviceSide('in', received), out: serviceSide('out', sent) };
  }
  const life = await readLife(lookup, address);
  const assess = (side: Side): Promise<AssessedSide> => assessSide(lookup, life, side, { settings, isCounted: sides.includes(side) });
  const [received, sent] = await Promise.all([assess('in'), assess('out')]);
  return { known: life.history !== undefined, in: received, out: sent };
}

/** Parts of the whole volume, received and sent. */
function exposuresOf(found: Readonly<Record<Side, AssessedSide>>): Exposure[] {
  const whole = addFlows(found.in.summary.total, found.out.summary.total);
  const lines = (['in', 'out'] as const).flatMap((side) => {
    const weight = shareOf(found[side].summary.total, whole);
    return found[side].lines.map((line) => ({ ...line, percent: percentOf((weight * line.side_percent) / 100) }));
  });
  return largestFirst(lines);
}

function coverageOf(labels: boolean, transfers: boolean): Coverage {
  if (labels) return transfers ? 'full' : 'labels';
  return transfers ? 'transfers' : 'none';
}
