/** Words of rules, without what computes them: the console completes them while a person types. */
export const fields = {
  transfer: {
    kind: 'string',
    source_id: 'string',
    chain: 'string',
    coin: 'string',
    txid: 'string',
    from_address: 'string',
    to_address: 'string',
    counterparty: 'string',
    amount: 'decimal',
    usd_value: 'decimal',
    user_id: 'string',
    occurred_at: 'google.protobuf.Timestamp',
  },
  result: {
    outcome: 'string',
    score: 'int',
    risk_level: 'string',
    reasons: 'list<string>',
    detail_list: 'list<string>',
    risk_detail: 'list<exposure>',
    address_label: 'string',
    hacking_event: 'string',
    provider: 'string',
    illicit_usd: 'double',
  },
  exposure: {
    entity: 'string',
    risk_type: 'string',
    exposure_type: 'string',
    hop_num: 'int',
    volume_usd: 'double',
    percent: 'double',
    side: 'string',
  },
  window: { count: 'int', usd: 'decimal', known_usd: 'decimal', unknown_count: 'int' },
} as const;

export const closedTexts: Readonly<Record<string, readonly string[]>> = {
  'transfer.kind': ['deposit', 'withdrawal'],
  'result.outcome': ['SCORED', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'],
  // Empty: no level.
  'result.risk_level': ['Low', 'Moderate', 'High', 'Severe', ''],
  exposure_type: ['direct', 'indirect'],
  side: ['in', 'out'],
};

/** Without `matches`, because a regular expression may run for ever, and `dyn`, which hides type errors until a transfer meets them. */
export const functions: readonly string[] = [
  'has',
  'size',
  'decimal',
  'timestamp',
  'duration',
  'exists',
  'exists_one',
  'all',
  'startsWith',
  'endsWith',
  'contains',
  'lowerAscii',
  'upperAscii',
  'getHours',
  'getMinutes',
  'getDayOfWeek',
  'getDayOfMonth',
  'getMonth',
  'getFullYear',
];
export const loops: readonly string[] = ['exists', 'exists_one', 'all'];
