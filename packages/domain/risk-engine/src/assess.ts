import type { Trail } from './attribution/trail.ts';
import type { Traced, TracedSide } from './attribution/trace.ts';
import { directExposures, directTouches } from './exposures/direct.ts';
import { categoryShares, interactDetails, theftOf } from './exposures/findings.ts';
import { indirectExposures, indirectTouches, weighedArrivals } from './exposures/indirect.ts';
import { largestFirst, type Touch } from './exposures/lines.ts';
import { addFlows, shareOf } from './flow.ts';
import { isTheft, ownDetails, ownFindings, worstFirst } from './labels.ts';
import { type Assessment, type Coverage, orderDetails, type SideSummary, unknown } from './result.ts';
import { scoreOf } from './score.ts';
import { limits } from './weights.ts';

/** Pure. */
export function assess(traced: Traced): Assessment {
  const { subject } = traced;
  const known = traced.in.known || traced.out.known;
  if (subject.labels.length === 0 && !known) return unknown;
  const own = worstFirst(subject.labels);
  const whole = addFlows(traced.in.total, traced.out.total);
  const dealt = [...traced.in.direct, ...traced.out.direct];
  const arrivals = weighedArrivals(traced, whole);
  const touches = withoutReturned([...directTouches(dealt, whole), ...indirectTouches(arrivals)], traced);
  return {
    ...scoreOf({ own: ownFindings(own), shares: categoryShares(touches) }),
    detail_list: orderDetails([...ownDetails(own), ...interactDetails(touches)]),
    exposures: largestFirst([...directExposures(dealt, whole), ...indirectExposures(arrivals, whole)]),
    hacking_event: own.find(isTheft)?.name ?? theftOf(touches),
    address_label: own[0]?.name ?? '',
    coverage: coverageOf(own.length > 0, known),
    labels: own,
    sides: { in: summaryOf(traced.in), out: summaryOf(traced.out) },
  };
}

/**
 * Returned money is the subject's own, so shares are of the rest: circling the loot must not dilute a theft.
 * This equals endless circling. The rest is at least epsilon, or dust would dominate a subject that only circles money.
 */
function withoutReturned(touches: readonly Touch[], traced: Traced): readonly Touch[] {
  const whole = addFlows(traced.in.total, traced.out.total);
  const returned = (['in', 'out'] as const).reduce(
    (sum, side) => sum + shareOf(traced[side].total, whole) * traced[side].trail.returned,
    0,
  );
  const rest = Math.max(1 - returned, limits.epsilon);
  return returned > 0 ? touches.map((touch) => ({ ...touch, share: Math.min(touch.share / rest, 1) })) : touches;
}

function summaryOf({ total, trail }: TracedSide): SideSummary {
  const { services, ends, returned, bound, expanded } = trail;
  return { total, risk: riskOf(trail), services, ends, returned, bound, expanded };
}

function riskOf({ arrivals }: Trail): number {
  return arrivals.reduce((sum, { mass }) => sum + mass, 0);
}

function coverageOf(labels: boolean, transfers: boolean): Coverage {
  if (labels) return transfers ? 'full' : 'labels';
  return transfers ? 'transfers' : 'none';
}
