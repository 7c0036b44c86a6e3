import type { Flow } from './store.ts';

export const noFlow: Flow = Object.freeze({ usd: 0, transfers: 0, unknownTransfers: 0 });

export function addFlows(a: Flow, b: Flow): Flow {
  return { usd: a.usd + b.usd, transfers: a.transfers + b.transfers, unknownTransfers: a.unknownTransfers + b.unknownTransfers };
}

/** One transfer. */
export function flowOf(usd: number | null): Flow {
  return { usd: usd ?? 0, transfers: 1, unknownTransfers: usd === null ? 1 : 0 };
}

/** `whole` minus `part`. The counts decide, so that rounding leaves no value without a transfer. */
export function beyond(whole: Flow, part: Flow): Flow {
  const transfers = Math.max(whole.transfers - part.transfers, 0);
  const unknownTransfers = Math.min(Math.max(whole.unknownTransfers - part.unknownTransfers, 0), transfers);
  return { usd: transfers === unknownTransfers ? 0 : Math.max(whole.usd - part.usd, 0), transfers, unknownTransfers };
}

/**
 * The share (0 to 1) of `part` in `total`; shares add up to one. All values known: the share of USD.
 * None, or an infinite sum: the share of transfers. Otherwise an unknown value weighs as the average known one,
 * all together at most half, because worthless tokens are free to send.
 */
export function shareOf(part: Flow, total: Flow): number {
  if (total.transfers <= 0) return 0;
  if (total.usd <= 0 || !Number.isFinite(total.usd)) return part.transfers / total.transfers;
  if (total.unknownTransfers <= 0) return part.usd / total.usd;
  const unknown = Math.min(total.unknownTransfers / total.transfers, mostUnknown);
  return (part.usd / total.usd) * (1 - unknown) + (part.unknownTransfers / total.unknownTransfers) * unknown;
}

const mostUnknown = 0.5;
