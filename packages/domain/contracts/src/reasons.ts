/** Why a decision fell. `RULE:<name>` stands beside these for a policy's own rules. */
export type ReasonCode =
  | 'LEVEL_SEVERE'
  | 'LEVEL_HIGH'
  | 'LEVEL_MODERATE'
  | 'LEVEL_LOW'
  | 'SANCTIONED_EXPOSURE'
  | 'NO_DATA'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_UNREADABLE'
  | 'UPSTREAM_REJECTED'
  | 'BUDGET_EXHAUSTED'
  | 'DEADLINE_PASSED'
  | 'UNSUPPORTED_COIN'
  | 'INVALID_TRANSFER'
  | 'LOCAL_SANCTIONS_MATCH'
  /** A remark: the caller's time of a deposit is far from the time of receipt. It holds nothing. */
  | 'CALLER_TIME_OUT_OF_BOUNDS'
  | 'REVIEWED'
  /** The price that the risk API knows makes the transfer worth far more than the declared `usd_value`. */
  | 'USD_VALUE_CONTRADICTED'
  /** No `usd_value` was declared: the value is amount × the price that the risk API knows. */
  | 'USD_VALUE_FROM_PRICE'
  /** The risk API has not said which price it knows, so the declared `usd_value` is not verified. */
  | 'PRICE_UNAVAILABLE'
  | `RULE:${string}`
  /** Beside the rule's own code: it could not be evaluated, e.g. because the value of the transfer is unknown. */
  | `RULE_FAILED:${string}`;
