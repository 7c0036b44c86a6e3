import type { TracedSide } from '../attribution/trace.ts';
import { addFlows, noFlow, shareOf } from '../flow.ts';
import { type Exposure, roundTo } from '../result.ts';
import type { Flow, Label } from '../store.ts';
import { byEntity, named, percentOf, riskTypeOf, type Touch } from './lines.ts';

export type Dealt = TracedSide['direct'][number];

export function directTouches(dealt: readonly Dealt[], whole: Flow): Touch[] {
  return dealt.map(({ label, flow }) => ({ label, hop: 1, share: shareOf(flow, whole) }));
}

/** One line per entity, however small. */
export function directExposures(dealt: readonly Dealt[], whole: Flow): Exposure[] {
  return byEntity(dealt).map((group) =>
    directExposure(
      group[0].label,
      group.map(({ label }) => label.source),
      group.reduce<Flow>((sum, { flow }) => addFlows(sum, flow), noFlow),
      whole,
    ),
  );
}

export function directExposure(label: Label, sources: readonly string[], flow: Flow, whole: Flow): Exposure {
  return {
    entity: label.name,
    risk_type: riskTypeOf(label),
    exposure_type: 'direct',
    hop_num: 1,
    volume: roundTo(flow.usd, 2),
    percent: percentOf(shareOf(flow, whole)),
    sources: named(sources),
  };
}
