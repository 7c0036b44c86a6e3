import type { Receipt, TracedReceipts } from '../attribution/receipts.ts';
import type { SourceKind } from '../attribution/sources.ts';
import { type Tags, type Taint, usdAt, usdOf as usdOfTag } from '../attribution/taint.ts';
import { addFlows, noFlow } from '../flow.ts';
import { sideWeights } from '../weights.ts';
import type { Flow, Side } from '../store.ts';

/** USD of one kind of source on one side. */
export interface KindMass {
  readonly kind: SourceKind;
  readonly direct: number;
  /** At most `direct`: less where strangers mixed it. */
  readonly directWeighted: number;
  readonly traced: number;
  /** At most `traced`: less the further and the less surely it came. */
  readonly weighted: number;
  /** Of known value, for limits in USD. */
  readonly directUsd: number;
  readonly tracedUsd: number;
  /** Of `direct` and of `traced`: of unknown value, estimated. */
  readonly directUnknown: number;
  readonly tracedUnknown: number;
  /** Of `direct`: the source paid back what the subject had paid to it. */
  readonly refunded: number;
}

/** Of a kind that is traced alone. */
export const noDirect = Object.freeze({ direct: 0, directWeighted: 0, directUsd: 0, directUnknown: 0, refunded: 0 });

export const noMass: Omit<KindMass, 'kind'> = Object.freeze({
  ...noDirect,
  traced: 0,
  weighted: 0,
  tracedUsd: 0,
  tracedUnknown: 0,
});

/** What one side of a subject holds, in USD, without own money that came back from services. */
export interface SideMasses {
  readonly side: Side;
  readonly total: number;
  readonly byKind: readonly KindMass[];
  /** Money whose past was not read, and how much of it may count. */
  readonly unread: number;
  readonly unreadWeighted: number;
  /** USD of known value that may be crime: of the payer who brought most that was not read or is behind a probable service, of many by a sample, or of few in transfers that are not listed. */
  readonly doubtfulUsd: number;
  /** Some value is known. Otherwise each transfer counts 1. */
  readonly valued: boolean;
  /** Of the whole life. */
  readonly peers: Readonly<Record<Side, number>>;
}

export function massesOf({ side, receipts, sources, tags, peers, rest, sample }: TracedReceipts): SideMasses {
  const fresh = receipts.filter(({ returned }) => returned === 0);
  const usdOf = restEstimate(receipts);
  const restByTag = (tag: number): Flow =>
    rest.direct.filter((one) => one.tag === tag).reduce<Flow>((sum, { flow }) => addFlows(sum, flow), noFlow);
  const whole = rest.direct.reduce<Flow>((sum, { flow }) => addFlows(sum, flow), addFlows(rest.clean, rest.unread));
  return {
    side,
    total: sumOf(receipts, ({ payment, returned }) => payment.usd - returned) + usdOf(whole),
    byKind: mergeKinds(
      kindMasses(sources, fresh).map((mass, tag) => {
        const more = restByTag(tag);
        return {
          ...mass,
          direct: mass.direct + usdOf(more),
          directWeighted: mass.directWeighted + usdOf(more),
          directUsd: mass.directUsd + more.usd,
          directUnknown: mass.directUnknown + usdOf(more) - more.usd,
        };
      }),
    ),
    unread: sumOf(fresh, ({ taint }) => usdOfTag(taint, 'mass', tags.unread)) + usdOf(rest.unread),
    unreadWeighted: sumOf(fresh, ({ taint }) => usdOfTag(taint, 'weighted', tags.unread)) + usdOf(rest.unread),
    doubtfulUsd: Math.max(
      mostDoubtful(fresh, tags),
      doubtfulBySample(fresh, tags, sample),
      peers.in < sideWeights.service_peers ? rest.unread.usd : 0,
    ),
    valued: whole.usd > 0 || receipts.some(({ payment }) => payment.movement.usd !== null),
    peers,
  };
}

/** By payer: many small payers of a busy address are not one large source. */
function mostDoubtful(receipts: readonly Receipt[], { unread }: Tags): number {
  const byPayer = new Map<string, number>();
  for (const { payment, taint } of receipts) {
    const usd = payment.movement.usd === null ? 0 : usdOfTag(taint, 'counted', unread);
    if (usd > 0) byPayer.set(payment.payer, (byPayer.get(payment.payer) ?? 0) + usd);
  }
  return Math.max(...byPayer.values(), 0);
}

/** Of the small payers that were not read as large a part as of the sample. One of it alone may be chance. */
function doubtfulBySample(receipts: readonly Receipt[], tags: Tags, sample: ReadonlySet<string>): number {
  const crime = (taint: Taint): number =>
    taint.has.tags.reduce((sum, tag, place) => sum + (tag !== tags.unread && tags.isCrime(tag) ? usdAt(taint, 'counted', place) : 0), 0);
  const valued = receipts.filter(({ direct, payment }) => !direct && payment.movement.usd !== null);
  const drawn = [
    ...Map.groupBy(
      valued.filter(({ payment }) => sample.has(payment.payer)),
      ({ payment }) => payment.payer,
    ).values(),
  ];
  const stolen = drawn.reduce(
    (sum, payments) => sum + sumOf(payments, ({ taint }) => crime(taint)) / sumOf(payments, ({ payment }) => payment.usd),
    0,
  );
  if (stolen <= 1) return 0;
  const unread = valued.filter(({ payment }) => !sample.has(payment.payer));
  return ((stolen - 1) / drawn.length) * sumOf(unread, ({ taint }) => usdOfTag(taint, 'counted', tags.unread));
}

/** An unlisted transfer of unknown value counts as the average listed one. */
export function restEstimate(receipts: readonly Receipt[]): (flow: Flow) => number {
  const average = sumOf(receipts, ({ payment }) => payment.usd) / Math.max(receipts.length, 1);
  return ({ usd, unknownTransfers }) => usd + unknownTransfers * average;
}

function kindMasses(kinds: readonly SourceKind[], receipts: readonly Receipt[]): KindMass[] {
  const masses = kinds.map((kind): Mutable<KindMass> => ({ ...noMass, kind }));
  for (const receipt of receipts) {
    const { has } = receipt.taint;
    for (let place = 0; place < has.kinds; place++) addReceipt(masses[has.tags[place] as number] as Mutable<KindMass>, receipt, place);
  }
  return masses;
}

type Mutable<Of> = { -readonly [Key in keyof Of]: Of[Key] };

/** `place`: of the kind in the receipt's taint. */
function addReceipt(mass: Mutable<KindMass>, { direct, taint, payment, cameBack, refunded }: Receipt, place: number): void {
  const [usd, weighted, counted] = [usdAt(taint, 'mass', place), usdAt(taint, 'weighted', place), usdAt(taint, 'counted', place)];
  const isValued = payment.movement.usd !== null;
  if (direct) {
    mass.direct += usd;
    mass.directWeighted += weighted;
    if (isValued) mass.directUsd += counted;
    else mass.directUnknown += usd;
    mass.refunded += Math.min(usd, refunded);
  } else {
    mass.traced += usd;
    mass.weighted += weighted;
    if (isValued) mass.tracedUsd += counted - (cameBack[place] ?? 0);
    else mass.tracedUnknown += usd;
  }
}

/** A hundred thieves weigh as much as one. */
function mergeKinds(masses: readonly KindMass[]): KindMass[] {
  const merged = new Map<string, KindMass>();
  for (const mass of masses) {
    const { category, suspected, weight } = mass.kind;
    const key = `${category}${suspected ? '?' : ''}`;
    const before = merged.get(key);
    merged.set(key, before === undefined ? { ...mass, kind: { category, suspected, weight } } : addMasses(before, mass));
  }
  return [...merged.values()];
}

function addMasses(a: KindMass, b: KindMass): KindMass {
  return {
    kind: a.kind,
    direct: a.direct + b.direct,
    directWeighted: a.directWeighted + b.directWeighted,
    traced: a.traced + b.traced,
    weighted: a.weighted + b.weighted,
    directUsd: a.directUsd + b.directUsd,
    tracedUsd: a.tracedUsd + b.tracedUsd,
    directUnknown: a.directUnknown + b.directUnknown,
    tracedUnknown: a.tracedUnknown + b.tracedUnknown,
    refunded: a.refunded + b.refunded,
  };
}

function sumOf(receipts: readonly Receipt[], value: (receipt: Receipt) => number): number {
  return receipts.reduce((sum, receipt) => sum + value(receipt), 0);
}
