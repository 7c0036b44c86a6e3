import type { ReasonCode } from '@weir/contracts';

type Fixed = Exclude<ReasonCode, `RULE:${string}` | `RULE_FAILED:${string}`>;

const words: Readonly<Record<Fixed, string>> = {
  LEVEL_SEVERE: 'the level is Severe',
  LEVEL_HIGH: 'the level is High',
  LEVEL_MODERATE: 'the level is Moderate',
  LEVEL_LOW: 'the level is Low: nothing bad is known',
  SANCTIONED_EXPOSURE: 'exposure to a sanctioned entity',
  ILLICIT_VALUE: 'the subject received illicit money above the limit',
  NO_DATA: 'nothing is known of the subject',
  UPSTREAM_UNAVAILABLE: 'the risk API did not answer',
  UPSTREAM_UNREADABLE: 'the answer of the risk API could not be read',
  UPSTREAM_REJECTED: 'the risk API refused the question',
  BUDGET_EXHAUSTED: 'the budget of the risk API was used up',
  DEADLINE_PASSED: 'no result came before the deadline',
  UNSUPPORTED_COIN: 'the coin is not supported',
  INVALID_TRANSFER: 'the transfer is not valid',
  LOCAL_SANCTIONS_MATCH: 'an address is on a local sanctions list',
  CALLER_TIME_OUT_OF_BOUNDS: "the caller's time is far from the time of receipt",
  REVIEWED: 'people decided',
  USD_VALUE_CONTRADICTED: 'the transfer is worth far more than declared',
  DECISION_MISMATCH: 'the decision is about another transfer',
  USD_VALUE_FROM_PRICE: 'the value was computed from the price of the risk API',
  PRICE_UNAVAILABLE: 'the price is not known, so the value is not verified',
};

/** A reason code in words; an unknown one as it is. */
export function reasonInWords(code: string): string {
  if (Object.hasOwn(words, code)) return words[code as Fixed];
  if (code.startsWith('RULE_FAILED:')) return `a value for the rule ${code.slice('RULE_FAILED:'.length)} was missing or invalid`;
  return code.startsWith('RULE:') ? `the rule ${code.slice('RULE:'.length)} of the policy` : code;
}
