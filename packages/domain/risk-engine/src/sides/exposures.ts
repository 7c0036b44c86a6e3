import { addFlows, noFlow } from '../flow.ts';
import type { Receipt, TracedReceipts } from '../attribution/receipts.ts';
import { roundTo } from '../result.ts';
import type { Flow, Movement, Side } from '../store.ts';

/** One entity, on one side, either direct or indirect. */
export interface SideExposure {
  readonly side: Side;
  /** Empty: all that are too small to be named. */
  readonly entity: string;
  readonly category: string;
  readonly suspected: boolean;
  readonly exposure_type: 'direct' | 'indirect';
  /** USD, two decimals, of the subject's side. */
  readonly volume: number;
  /** 0 to 100, four decimals, of the side. The lines of a side add up to 100 at most. */
  readonly percent: number;
  /** The address next to the subject that brought most of it. */
  readonly counterparty: string;
  /** The main path in the order of time: the transfers between the entity and the subject. */
  readonly path: readonly Movement[];
  readonly sources: readonly string[];
}

/** Readable by a person; a claim that five make needs no sixth. */
const namedSources = 5;

/** `total`: the side's USD, as in its masses. Largest first. Lines that show as 0 % are left out. */
export function sideExposures(traced: TracedReceipts, total: number): SideExposure[] {
  const fresh = traced.receipts.filter(({ returned }) => returned === 0);
  return traced.sources
    .flatMap((_, tag) => [directExposure(traced, fresh, tag, total), indirectExposure(traced, fresh, tag, total)])
    .filter((exposure) => exposure.percent > 0)
    .toSorted((a, b) => b.percent - a.percent);
}

function directExposure(traced: TracedReceipts, fresh: readonly Receipt[], tag: number, total: number): SideExposure {
  const receipts = fresh.filter(({ direct, taint }) => direct && (taint.mass[tag] ?? 0) > 0);
  const rest = traced.rest.direct.filter((one) => one.tag === tag).reduce<Flow>((sum, { flow }) => addFlows(sum, flow), noFlow);
  const largest = receipts.toSorted((a, b) => b.payment.usd - a.payment.usd)[0];
  const path = largest === undefined ? [] : [largest.payment];
  return exposureOf(traced, tag, { type: 'direct', usd: sumOf(receipts, tag) + rest.usd, total, path });
}

function indirectExposure(traced: TracedReceipts, fresh: readonly Receipt[], tag: number, total: number): SideExposure {
  const usd = sumOf(
    fresh.filter(({ direct }) => !direct),
    tag,
  );
  return exposureOf(traced, tag, { type: 'indirect', usd, total, path: usd > 0 ? traced.pathOf(tag) : [] });
}

interface Line {
  readonly type: SideExposure['exposure_type'];
  readonly usd: number;
  readonly total: number;
  readonly path: ReturnType<TracedReceipts['pathOf']>;
}

function exposureOf({ side, sources }: TracedReceipts, tag: number, { type, usd, total, path }: Line): SideExposure {
  const { entity = '', category = 'ordinary', suspected = false, claimants = [] } = sources[tag] ?? {};
  const movements = path.map(({ movement }) => movement);
  return {
    side,
    entity,
    category,
    suspected,
    exposure_type: type,
    volume: roundTo(usd, 2),
    percent: total > 0 ? roundTo((100 * usd) / total, 4) : 0,
    counterparty: path[0]?.payer ?? '',
    path: side === 'in' ? movements.toReversed() : movements,
    sources: claimants.slice(0, namedSources),
  };
}

function sumOf(receipts: readonly Receipt[], tag: number): number {
  return receipts.reduce((sum, { taint }) => sum + (taint.mass[tag] ?? 0), 0);
}
