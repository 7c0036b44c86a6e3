import type { Payment } from '../attribution/payment.ts';
import type { Receipt, TracedReceipts } from '../attribution/receipts.ts';
import type { Source } from '../attribution/sources.ts';
import { taintedUsd, usdAt } from '../attribution/taint.ts';
import { named, percentOf, riskTypeOf, volumeOf } from '../exposures.ts';
import type { Exposure } from '../result.ts';
import type { Flow, Movement, Side } from '../store.ts';
import { isSuspicion } from '../weights.ts';
import { restEstimate, type SideMasses } from './masses.ts';

/** Its part of the whole volume depends on the other side. */
export type SideLine = Omit<Exposure, 'percent'>;

interface Line {
  readonly type: Exposure['exposure_type'];
  readonly usd: number;
  /** Part of `usd`: of known value. */
  readonly knownUsd: number;
  /** From the subject on. */
  readonly path: readonly Payment[];
  /** Where there is no path. */
  readonly counterparty?: string;
}

/** Direct contact is listed however small, traces only if they do not show as 0 %. */
export function sideLines(traced: TracedReceipts, { total }: SideMasses): readonly SideLine[] {
  const fresh = traced.receipts.filter(({ returned }) => returned === 0);
  const byTag = receiptsByTag(fresh, traced.sources.length);
  const usdOf = restEstimate(traced.receipts);
  const lines = traced.sources.flatMap((source, tag) =>
    [directLine(traced, byTag.direct[tag] ?? [], tag, usdOf), indirectLine(traced, byTag.indirect[tag] ?? [], tag)]
      .filter(({ usd }) => usd > 0)
      .map((line) => exposureOf(traced.side, source, line, total)),
  );
  const shown = lines.filter(({ exposure_type, side_percent }) => exposure_type === 'direct' || side_percent > 0);
  return [...shown, ...bridgeLines(traced, total)];
}

/** What one view lists and the other does not. Money that both accuse counts once: the lines add up to 100 % at most. */
export function joinLines(lines: readonly SideLine[], others: readonly SideLine[]): readonly SideLine[] {
  const keyOf = ({ entity, category, suspected, exposure_type }: SideLine): string =>
    JSON.stringify([entity, category, suspected, exposure_type]);
  const listed = new Set(lines.map(keyOf));
  let left = Math.max(100 - lines.reduce((sum, { side_percent }) => sum + side_percent, 0), 0);
  const more = others
    .filter((line) => !listed.has(keyOf(line)))
    .map((line) => {
      const side_percent = Math.min(line.side_percent, left);
      left -= side_percent;
      return { ...line, side_percent };
    });
  return [...lines, ...more];
}

/** A bridge adds no points. What was traced through it or came back is part of another line's share, or of none. */
function bridgeLines({ side, bridged }: TracedReceipts, total: number): SideLine[] {
  const entities = Map.groupBy(bridged, ({ label }) => label.name);
  return [...entities].flatMap(([entity, all]) => {
    const receipts = all.map(({ receipt }) => receipt).toSorted((a, b) => b.payment.usd - a.payment.usd);
    const usd = receipts.reduce((sum, { payment }) => sum + payment.usd, 0);
    if (usd === 0) return [];
    const suspected = all.every(({ label }) => isSuspicion(label.confidence));
    const source = { entity, category: 'bridge', suspected, claimants: all.map(({ label }) => label.source) };
    const knownUsd = receipts.filter(isValued).reduce((sum, { payment }) => sum + payment.usd, 0);
    const line: Line = { type: 'direct', usd, knownUsd, path: receipts.slice(0, 1).map(({ payment }) => payment) };
    const side_percent = total > 0 ? percentOf(receipts.reduce((sum, receipt) => sum + cleanUsd(receipt), 0) / total) : 0;
    return [{ ...exposureOf(side, source, line, total), side_percent }];
  });
}

function cleanUsd({ payment, returned, taint }: Receipt): number {
  return Math.max(payment.usd - (returned > 0 ? returned : taintedUsd(taint)), 0);
}

interface Portion {
  readonly receipt: Receipt;
  /** Of the tag, above 0. */
  readonly usd: number;
}

function receiptsByTag(receipts: readonly Receipt[], tags: number): Readonly<Record<'direct' | 'indirect', readonly Portion[][]>> {
  const found = { direct: Array.from({ length: tags }, (): Portion[] => []), indirect: Array.from({ length: tags }, (): Portion[] => []) };
  for (const receipt of receipts) {
    const { has } = receipt.taint;
    const byTag = receipt.direct && receipt.mixed !== true ? found.direct : found.indirect;
    for (let place = 0; place < has.kinds; place++) {
      const usd = usdAt(receipt.taint, 'mass', place);
      if (usd > 0) byTag[has.tags[place] as number]?.push({ receipt, usd });
    }
  }
  return found;
}

function directLine(traced: TracedReceipts, portions: readonly Portion[], tag: number, usdOf: (flow: Flow) => number): Line {
  const receipts = portions.map(({ receipt }) => receipt);
  const largest = receipts.toSorted((a, b) => b.payment.usd - a.payment.usd)[0];
  const rest = traced.rest.direct
    .filter((one) => one.tag === tag && one.flow.transfers > 0)
    .toSorted((a, b) => usdOf(b.flow) - usdOf(a.flow));
  return {
    type: 'direct',
    usd: sumOf(portions) + rest.reduce((sum, { flow }) => sum + usdOf(flow), 0),
    knownUsd: knownSumOf(portions) + rest.reduce((sum, { flow }) => sum + flow.usd, 0),
    path: largest === undefined ? [] : [largest.payment],
    counterparty: rest[0]?.address ?? '',
  };
}

function indirectLine(traced: TracedReceipts, portions: readonly Portion[], tag: number): Line {
  return {
    type: 'indirect',
    usd: sumOf(portions),
    knownUsd: knownSumOf(portions),
    path: portions.length > 0 ? traced.pathOf(tag) : [],
  };
}

function exposureOf(side: Side, source: Omit<Source, 'weight'>, line: Line, total: number): SideLine {
  const { entity, category, suspected, claimants } = source;
  const name = entity === '' ? `Others (${category})` : entity;
  const hop_num = line.type === 'direct' ? 1 : Math.max(line.path.length, 2);
  return {
    side,
    entity: name,
    risk_type: riskTypeOf(category, suspected),
    category,
    suspected,
    exposure_type: line.type,
    hop_num,
    volume: volumeOf(line.knownUsd),
    side_percent: total > 0 ? percentOf(line.usd / total) : 0,
    counterparty: line.path[0]?.payer ?? line.counterparty ?? '',
    path: inTime(bothEnds(line.path), side),
    ...(line.type === 'indirect' ? { hop_dic: hopsOf(line.path, hop_num, name) } : {}),
    sources: named(claimants),
  };
}

/** Of each end. A circle may go round a thousand times. */
const shownOfPath = 10;

function bothEnds<Item>(path: readonly Item[]): readonly Item[] {
  return path.length <= 2 * shownOfPath ? path : [...path.slice(0, shownOfPath), ...path.slice(-shownOfPath)];
}

function inTime(path: readonly Payment[], side: Side): Movement[] {
  const movements = path.map(({ movement }) => movement);
  return side === 'in' ? movements.toReversed() : movements;
}

function hopsOf(path: readonly Payment[], hop_num: number, entity: string): Record<string, string[]> {
  const before = path.slice(0, hop_num - 1).map(({ payer }, index) => [String(index + 1), [payer]] as [string, string[]]);
  return Object.fromEntries([...bothEnds(before), [String(hop_num), [entity]]]);
}

function isValued({ payment }: Receipt): boolean {
  return payment.movement.usd !== null;
}

function sumOf(portions: readonly Portion[]): number {
  return portions.reduce((sum, { usd }) => sum + usd, 0);
}

function knownSumOf(portions: readonly Portion[]): number {
  return sumOf(portions.filter(({ receipt }) => isValued(receipt)));
}
