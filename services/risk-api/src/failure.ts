/**
 * Every failure a caller can get. `retriable`: the same request may work later without a change.
 *
 * | Code | Status | Retriable | What to do |
 * |---|---|---|---|
 * | `InvalidApiKey` | 400 | no | send a key of this surface |
 * | `InvalidParameter` | 400 | no | correct the request |
 * | `InvalidAddress` | 400 | no | give one of address and txid, of that coin's chain |
 * | `UnsupportedToken` | 400 | no | choose a coin of the table |
 * | `UnsupportedAddressType` | 400 | no | give the address itself: the text is another form of it, or of another network (see `http/address-forms.ts`) |
 * | `ExpiredPlan` | 402 | no | renew the plan |
 * | `InvalidAccessToken` | 403 | no | take the address of a report as it came |
 * | `ExpiredAccessToken` | 403 | no | ask for the score again: the answer has a new one |
 * | `PageNotFound` | 404 | no | see `/docs` |
 * | `PayloadTooLarge` | 413 | no | send less |
 * | `UnsupportedMediaType` | 415 | no | send `application/json` |
 * | `ExceededRateLimit`, `ExceededDailyRateLimit` | 429 | yes | wait `retry_after` seconds |
 * | `InternalError` | 500 | no | the operator finds the cause in the log |
 * | `ServiceUnavailable` | 503 | yes | try again; something this needs is away |
 */
const statuses = {
  InvalidApiKey: 400,
  InvalidParameter: 400,
  InvalidAddress: 400,
  UnsupportedToken: 400,
  UnsupportedAddressType: 400,
  ExpiredPlan: 402,
  InvalidAccessToken: 403,
  ExpiredAccessToken: 403,
  PageNotFound: 404,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  ExceededRateLimit: 429,
  ExceededDailyRateLimit: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;

export type FailureCode = keyof typeof statuses;

export const failureCodes = Object.keys(statuses) as readonly FailureCode[];

export function statusOf(code: FailureCode): number {
  return statuses[code];
}

export class Failure extends Error {
  readonly code: FailureCode;
  readonly status: (typeof statuses)[FailureCode];
  readonly retriable: boolean;
  /** Whole seconds; only with a limit. */
  readonly retryAfter: number | undefined;

  constructor(code: FailureCode, retryAfter?: number) {
    super(code);
    this.name = 'Failure';
    this.code = code;
    this.status = statuses[code];
    this.retriable = this.status === 429 || this.status === 503;
    this.retryAfter = retryAfter;
  }
}
