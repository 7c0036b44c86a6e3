/** The reasons of a decision. Each policy rule adds `RULE:<name>`. */
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
  /** A remark that holds nothing: the caller's time of a deposit is far from the time of receipt. */
  | 'CALLER_TIME_OUT_OF_BOUNDS'
  | 'REVIEWED'
  /** The transfer is worth far more than the declared `usd_value` at the risk API's price. */
  | 'USD_VALUE_CONTRADICTED'
  /** No `usd_value` was declared, so the value is amount × the risk API's price. */
  | 'USD_VALUE_FROM_PRICE'
  /** The risk API has not answered the price request, so the declared `usd_value` is not verified. */
  | 'PRICE_UNAVAILABLE'
  | `RULE:${string}`
  /** Beside the rule's own code: the rule could not be evaluated, e.g. for want of the transfer's value. */
  | `RULE_FAILED:${string}`;
