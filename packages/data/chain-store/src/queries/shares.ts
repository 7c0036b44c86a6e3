import { addFlows, type Flow, noFlow, shareOf } from '@weir/risk-engine';

const hundred = 10_000;

/**
 * Each flow's percentage of the whole, with two decimals that add up to exactly 100 (largest remainder method). Unknown values are weighed
 * as in a score (see `shareOf`): by number of transfers where no value is known.
 */
export function percents(flows: readonly Flow[]): number[] {
  const whole = flows.reduce(addFlows, noFlow);
  if (whole.transfers === 0) return flows.map(() => 0);
  const exact = flows.map((flow) => shareOf(flow, whole) * hundred);
  const floors = exact.map(Math.floor);
  const missing = hundred - floors.reduce((sum, floor) => sum + floor, 0);
  const byRemainder = exact.map((value, index) => ({ index, remainder: value - Math.floor(value) }));
  byRemainder.sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const raised = new Set(byRemainder.slice(0, missing).map(({ index }) => index));
  return floors.map((floor, index) => (floor + (raised.has(index) ? 1 : 0)) / 100);
}

export function bySize(whole: Flow): (a: Flow, b: Flow) => number {
  return (a, b) => shareOf(b, whole) - shareOf(a, whole) || b.transfers - a.transfers;
}

/** USD with two decimals. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}
