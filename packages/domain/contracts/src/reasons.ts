/** A policy's own rules add `RULE:<name>`. */
export type ReasonCode =
  | 'LEVEL_SEVERE'
  | 'LEVEL_HIGH'
  | 'LEVEL_MODERATE'
  | 'LEVEL_LOW'
  | 'SANCTIONED_EXPOSURE'
  /** The subject received illicit money of a value that counts however diluted it is. */
  | 'ILLICIT_VALUE'
  | 'NO_DATA'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_UNREADABLE'
  | 'UPSTREAM_REJECTED'
  | 'BUDGET_EXHAUSTED'
  | 'DEADLINE_PASSED'
  | 'UNSUPPORTED_COIN'
  | 'INVALID_TRANSFER'
  | 'LOCAL_SANCTIONS_MATCH'
  /** Holds nothing: the caller's time of a deposit is far from the time of receipt. */
  | 'CALLER_TIME_OUT_OF_BOUNDS'
  /** A reorganisation of its chain took the deposit back after it was announced. */
  | 'TAKEN_BACK'
  | 'REVIEWED'
  /** At the risk API's price the transfer is worth far more than the declared `usd_value`. */
  | 'USD_VALUE_CONTRADICTED'
  /** Of the gate alone: the decision in force is about another transfer than the one requested. */
  | 'DECISION_MISMATCH'
  /** Without a declared `usd_value` it is amount × the risk API's price. */
  | 'USD_VALUE_FROM_PRICE'
  /** The risk API has not answered the price request, so the declared `usd_value` is unverified. */
  | 'PRICE_UNAVAILABLE'
  | `RULE:${string}`
  /** Beside the rule's own code: a value for the rule was missing or invalid. */
  | `RULE_FAILED:${string}`;
