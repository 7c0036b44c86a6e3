import { attribution } from '../weights.ts';
import { illicitMass, type Tags, type Taint } from './taint.ts';

/** What one intermediary takes from the weight of what it passes on. Changes the taint. */
export function weaken({ mass, weighted }: Taint, passThrough: boolean): void {
  const decay = passThrough ? 1 : attribution.decay;
  for (let tag = 0; tag < mass.length; tag++) {
    const [all, before] = [mass[tag] ?? 0, weighted[tag] ?? 0];
    const after = Math.min(before * decay, all * attribution.first_step);
    weighted[tag] = Math.max(after, Math.min(before, all * attribution.decayed_least));
  }
}

/**
 * A probable service passes on its customers' money, but a thief can make one of twenty own wallets on each side: crime behind it counts
 * as money that was not read, and what was not read behind it counts unless it is a business. Changes the taint.
 */
export function behindProbableService({ mass, weighted, counted }: Taint, tags: Tags, isBusiness: boolean): void {
  let doubtful = isBusiness ? 0 : (counted[tags.unread] ?? 0);
  for (let tag = 0; tag < mass.length; tag++) {
    weighted[tag] = Math.min(weighted[tag] ?? 0, (mass[tag] ?? 0) * attribution.probable_service_weight);
    if (tag !== tags.unread && tags.isCrime(tag)) doubtful += counted[tag] ?? 0;
  }
  counted.fill(0);
  counted[tags.unread] = doubtful;
}

/** In a CoinJoin of strangers. Limits in USD count the money all the same. Changes the taint. */
export function amongStrangers({ mass, weighted }: Taint): void {
  for (let tag = 0; tag < mass.length; tag++) weighted[tag] = Math.min(weighted[tag] ?? 0, (mass[tag] ?? 0) * attribution.coin_join_weight);
}

/** `received`: illicit USD so far; `passedOn`: illicit USD passed on before. Changes the taint. */
export function limitToReceived(taint: Taint, tags: Tags, { received, passedOn }: { received: number; passedOn: number }): void {
  const wanted = illicitMass(taint, tags);
  const allowed = Math.max(attribution.passed_on_most * received - passedOn, 0);
  if (wanted <= allowed) return;
  const share = allowed / wanted;
  const dropped = received < attribution.extrapolated_from_usd;
  for (let tag = 0; tag < tags.unread; tag++) {
    const [mass, weighted] = [taint.mass[tag] ?? 0, taint.weighted[tag] ?? 0];
    const extrapolated = Math.min(weighted, mass * attribution.extrapolated_weight) * (1 - share);
    taint.weighted[tag] = weighted * share + (dropped ? 0 : extrapolated);
    taint.counted[tag] = (taint.counted[tag] ?? 0) * share;
    if (dropped) taint.mass[tag] = mass * share;
  }
}
