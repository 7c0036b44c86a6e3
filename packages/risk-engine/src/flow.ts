import type { Flow } from './store.ts';

export const noFlow: Flow = Object.freeze({ usd: 0, transfers: 0, unknownTransfers: 0 });

export function addFlows(a: Flow, b: Flow): Flow {
  return { usd: a.usd + b.usd, transfers: a.transfers + b.transfers, unknownTransfers: a.unknownTransfers + b.unknownTransfers };
}

/**
 * The share (0 to 1) of `part` in `total`. A transfer of unknown value weighs as much as the average known one, so with all values
 * known this is the share of USD, with none the share of the number of transfers, and shares always add up to one.
 */
export function shareOf(part: Flow, total: Flow): number {
  if (total.transfers <= 0) return 0;
  if (total.usd <= 0) return part.transfers / total.transfers;
  const known = (total.transfers - total.unknownTransfers) / total.transfers;
  return (part.usd / total.usd) * known + part.unknownTransfers / total.transfers;
}
