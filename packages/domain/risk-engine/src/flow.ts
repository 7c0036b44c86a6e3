import type { Flow } from './store.ts';

export const noFlow: Flow = Object.freeze({ usd: 0, transfers: 0, unknownTransfers: 0 });

export function addFlows(a: Flow, b: Flow): Flow {
  return { usd: a.usd + b.usd, transfers: a.transfers + b.transfers, unknownTransfers: a.unknownTransfers + b.unknownTransfers };
}

/** What `whole` has beyond `part`. The counts decide, so that rounding in USD never leaves value without a transfer. */
export function beyond(whole: Flow, part: Flow): Flow {
  const transfers = Math.max(whole.transfers - part.transfers, 0);
  const unknownTransfers = Math.min(Math.max(whole.unknownTransfers - part.unknownTransfers, 0), transfers);
  return { usd: transfers === unknownTransfers ? 0 : Math.max(whole.usd - part.usd, 0), transfers, unknownTransfers };
}

/**
 * The share (0 to 1) of `part` in `total`. A transfer of unknown value weighs as much as the average known one, but all of them together
 * no more than all known ones: tokens that nobody has heard of cost nothing to send, and a thousand of them must not thin out a million USD.
 * So with all values known this is the share of USD, with none (or with a sum past all numbers) the share of the number of transfers, and
 * shares always add up to one.
 */
export function shareOf(part: Flow, total: Flow): number {
  if (total.transfers <= 0) return 0;
  if (total.usd <= 0 || !Number.isFinite(total.usd)) return part.transfers / total.transfers;
  if (total.unknownTransfers <= 0) return part.usd / total.usd;
  const unknown = Math.min(total.unknownTransfers / total.transfers, mostUnknown);
  return (part.usd / total.usd) * (1 - unknown) + (part.unknownTransfers / total.unknownTransfers) * unknown;
}

/** What transfers of unknown value weigh at most where the value of any is known. */
const mostUnknown = 0.5;
