import { compare, type Finding } from './combine.ts';
import { addFlows, noFlow, shareOf } from './flow.ts';
import { isTheft, isToken, riskLabel } from './labels.ts';
import { type Exposure, roundTo } from './result.ts';
import type { Counterparties, Flow, Label } from './store.ts';
import { canonicalCategory, confidenceFactor, isSuspicion, saturate, weightOf } from './weights.ts';

/** Direct dealings with labelled addresses, as evidence and as findings. */
export interface DirectExposures {
  readonly exposures: readonly Exposure[];
  readonly findings: readonly Finding[];
  readonly details: readonly string[];
  /** The theft with the largest share; empty when none. */
  readonly hackingEvent: string;
}

interface Line {
  readonly label: Label;
  readonly flow: Flow;
}

/**
 * Both directions count alike and together. Tokens are taken out of the whole first. Findings are made by category and not by entity:
 * a hundred gambling sites with one per cent each are as bad as one with all of it, and not worse.
 */
export function directExposures(counterparties: Counterparties, labels: ReadonlyMap<string, readonly Label[]>): DirectExposures {
  const lines = new Map<string, Line>();
  let total = counterparties.total;
  for (const item of counterparties.items) {
    const known = labels.get(item.address) ?? [];
    if (isToken(known)) {
      total = addFlows(total, { usd: -item.usd, transfers: -item.transfers, unknownTransfers: -item.unknownTransfers });
      continue;
    }
    const label = riskLabel(known);
    if (label === undefined) continue;
    const key = `${canonicalCategory(label.category)}\n${isSuspicion(label.confidence)}\n${label.name}`;
    const before = lines.get(key);
    lines.set(key, { label, flow: addFlows(before?.flow ?? noFlow, item) });
  }
  const all = [...lines.values()];
  return {
    exposures: largestFirst(all.map(({ label, flow }) => exposureOf(label, flow, total))),
    findings: findingsOf(all, total),
    details: all.map(({ label }) => interactDetail(label)).filter((detail) => detail !== ''),
    hackingEvent:
      all
        .filter(({ label }) => isTheft(label))
        .toSorted((a, b) => shareOf(b.flow, total) - shareOf(a.flow, total) || compare(a.label.name, b.label.name))[0]?.label.name ?? '',
  };
}

/** The line for dealings of that size with the bearer of that label. */
export function exposureOf(label: Label, flow: Flow, total: Flow): Exposure {
  return {
    entity: label.name,
    riskType: weightOf(label.category).risk_type ?? 'illicit_activity',
    exposureType: 'direct',
    hopNum: 1,
    volume: roundTo(flow.usd, 2),
    percent: roundTo(shareOf(flow, total) * 100, 4),
  };
}

export function largestFirst(exposures: readonly Exposure[]): Exposure[] {
  return exposures.toSorted((a, b) => b.percent - a.percent || compare(a.entity, b.entity) || compare(a.riskType, b.riskType));
}

function findingsOf(lines: readonly Line[], total: Flow): Finding[] {
  const shares = new Map<string, number>();
  for (const { label, flow } of lines) {
    const category = canonicalCategory(label.category);
    shares.set(category, (shares.get(category) ?? 0) + shareOf(flow, total) * confidenceFactor(label.confidence));
  }
  return [...shares].map(([category, share]) => ({ key: `exposure:${category}`, strength: weightOf(category).exposure * saturate(share) }));
}

function interactDetail(label: Label): string {
  const { interact } = weightOf(label.category);
  return interact === 'Interact With Malicious Address' && isSuspicion(label.confidence)
    ? 'Interact With Suspected Malicious Address'
    : interact;
}
