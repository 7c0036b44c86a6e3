/** Filters that name a customer, an address or a transfer, which an erasure looks for. */
export const namingFilters = ['address', 'user_id', 'txid', 'source_id', 'subject'] as const;

const ofTransfers = ['kind', 'level', 'min_usd', 'max_usd', ...namingFilters, 'chain', 'coin', 'rule', 'reason', 'since', 'until'] as const;

/** The filters of the lists of the console, which a saved view keeps. */
export const listFilters = {
  reviews: ['state', 'sort', 'assignee', 'due', ...ofTransfers],
  screenings: ['action', 'sort', ...ofTransfers],
  cases: ['state', 'outcome', 'assignee', 'escalated', 'due'],
} as const;
