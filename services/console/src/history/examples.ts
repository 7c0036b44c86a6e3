import type { AddressView, StatisticsView, UserView } from './view.ts';

/** Examples of the description. Tests check each against its schema. */
const totals = { count: 2, usd: '1500.5', unknown_usd: 0 };

export const exampleUser: UserView = {
  user_id: 'u-1',
  kinds: [{ kind: 'deposit', ...totals }],
  actions: [
    { action: 'allow', count: 1, usd: '1500.5', unknown_usd: 0 },
    { action: 'review', count: 1, usd: null, unknown_usd: 1 },
  ],
  levels: [{ level: 'Low', ...totals }],
  held: { count: 1, usd: null, unknown_usd: 1 },
  counterparties: [{ address: '0x28c6c06298d514db089934071355e5743bf21d60', ...totals }],
  open_reviews: 1,
  first_requested_at: '2026-01-30T09:12:23.000Z',
  last_requested_at: '2026-01-31T09:12:23.000Z',
};

export const exampleStatistics: StatisticsView = {
  since: '2026-01-31T00:00:00.000Z',
  until: '2026-02-01T00:00:00.000Z',
  days: [{ day: '2026-01-31', ...totals, allow: totals.count, review: 0, block: 0, undecided: 0 }],
  actions: [{ action: 'allow', ...totals }],
  levels: [{ level: 'Low', ...totals }],
  rules: [{ rule: null, ...totals }],
  coins: [{ coin: 'ETH', ...totals }],
  holds: { ended: 1, open: 0, median_seconds: 600, p95_seconds: 600, longest_seconds: 600 },
  held_by: [{ rule: 'large', held: 1, decided: 1, allowed: 1, false_positive_rate: 1 }],
};

export const exampleAddress: AddressView = {
  address: '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
  transfers: totals,
  is_complete: true,
  sides: [{ side: 'from', ...totals }],
  counterparties: [{ address: '0x28c6c06298d514db089934071355e5743bf21d60', ...totals }],
  customers: [{ user_id: 'u-1', ...totals }],
  actions: [{ action: 'allow', ...totals }],
  levels: [{ level: 'Low', ...totals }],
  days: [{ day: '2026-01-31', levels: [{ level: 'Low', ...totals }] }],
  first_requested_at: '2026-01-31T09:12:23.000Z',
  last_requested_at: '2026-01-31T10:12:23.000Z',
};
