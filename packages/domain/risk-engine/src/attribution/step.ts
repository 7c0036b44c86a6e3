import { attribution } from '../weights.ts';
import { addTo, fields, illicitMass, type Tags, type Taint, usdAt, usdOf, wholly } from './taint.ts';

/** What one intermediary takes from the weight of what it passes on. Changes the taint. */
export function weaken({ has, sums }: Taint, passThrough: boolean): void {
  const decay = passThrough ? 1 : attribution.decay;
  for (let place = 0; place < has.size; place++) {
    const [all, before] = [sums[place] ?? 0, sums[has.size + place] ?? 0];
    const after = Math.min(before * decay, all * attribution.first_step);
    sums[has.size + place] = Math.max(after, Math.min(before, all * attribution.decayed_least));
  }
}

/**
 * A probable service passes on its customers' money, but a thief can make one of twenty own wallets on each side: crime behind it counts
 * as money that was not read, and what was not read behind it counts unless it is a business. Changes the taint.
 */
export function behindProbableService(taint: Taint, tags: Tags, isBusiness: boolean): void {
  const { has, sums } = taint;
  let doubtful = isBusiness ? 0 : usdOf(taint, 'counted', tags.unread);
  for (let place = 0; place < has.kinds; place++) if (tags.isCrime(has.tags[place] as number)) doubtful += usdAt(taint, 'counted', place);
  limitWeights(taint, attribution.probable_service_weight);
  sums.fill(0, fields.counted * has.size);
  const unread = wholly(tags, tags.unread, 0);
  unread.sums[fields.counted] = doubtful;
  if (doubtful > 0) addTo(taint, unread);
}

/** In a CoinJoin of strangers. Limits in USD count the money all the same. Changes the taint. */
export function amongStrangers(taint: Taint): void {
  limitWeights(taint, attribution.coin_join_weight);
}

function limitWeights({ has, sums }: Taint, most: number): void {
  for (let place = 0; place < has.size; place++) sums[has.size + place] = Math.min(sums[has.size + place] ?? 0, (sums[place] ?? 0) * most);
}

/** `received`: illicit USD so far; `passedOn`: illicit USD passed on before. Changes the taint. */
export function limitToReceived(taint: Taint, { received, passedOn }: { received: number; passedOn: number }): void {
  const wanted = illicitMass(taint);
  const allowed = Math.max(attribution.passed_on_most * received - passedOn, 0);
  if (wanted <= allowed) return;
  const share = allowed / wanted;
  const dropped = received < attribution.extrapolated_from_usd;
  const { has, sums } = taint;
  for (let place = 0; place < has.kinds; place++) {
    const [mass, weighted, counted] = [usdAt(taint, 'mass', place), usdAt(taint, 'weighted', place), usdAt(taint, 'counted', place)];
    const extrapolated = Math.min(weighted, mass * attribution.extrapolated_weight) * (1 - share);
    sums[has.size + place] = weighted * share + (dropped ? 0 : extrapolated);
    sums[2 * has.size + place] = counted * share;
    if (dropped) sums[place] = mass * share;
  }
}
