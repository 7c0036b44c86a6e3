import type { ReasonCode } from './reasons.ts';

type Fixed = Exclude<ReasonCode, `RULE:${string}` | `RULE_FAILED:${string}`>;

const words: Readonly<Record<Fixed, string>> = {
  LEVEL_SEVERE: 'Severe risk',
  LEVEL_HIGH: 'High risk',
  LEVEL_MODERATE: 'Moderate risk',
  LEVEL_LOW: 'Low: nothing bad is known',
  SANCTIONED_EXPOSURE: 'Exposure to a sanctioned entity',
  ILLICIT_VALUE: 'Received illicit money above the limit',
  NO_DATA: 'Nothing is known of it',
  UPSTREAM_UNAVAILABLE: 'The risk API did not answer',
  UPSTREAM_UNREADABLE: 'The answer of the risk API could not be read',
  UPSTREAM_REJECTED: 'The risk API refused the question',
  BUDGET_EXHAUSTED: 'The budget of the risk API was used up',
  DEADLINE_PASSED: 'No result came before the deadline',
  UNSUPPORTED_COIN: 'The coin is not supported',
  INVALID_TRANSFER: 'The transfer is not valid',
  LOCAL_SANCTIONS_MATCH: 'On a local sanctions list',
  CALLER_TIME_OUT_OF_BOUNDS: 'The time of the caller is far from the time of receipt',
  TAKEN_BACK: 'The chain took the deposit back',
  REVIEWED: 'Decided by people',
  USD_VALUE_CONTRADICTED: 'Worth far more than declared',
  DECISION_MISMATCH: 'The decision is about another transfer',
  USD_VALUE_FROM_PRICE: 'Value by the price of the risk API',
  PRICE_UNAVAILABLE: 'The price is not known, so the value is not verified',
};

/** A reason code in words; an unknown one as it is. */
export function reasonInWords(code: string): string {
  if (Object.hasOwn(words, code)) return words[code as Fixed];
  if (code.startsWith('RULE_FAILED:')) return `A value for the rule ${code.slice('RULE_FAILED:'.length)} was missing or invalid`;
  return code.startsWith('RULE:') ? `Rule ${code.slice('RULE:'.length)}` : code;
}
