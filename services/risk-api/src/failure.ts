/**
 * Every failure of the API: its status, and advice for the caller. 429, 503 and PaymentInProgress are retriable: the same request may
 * succeed later.
 */
const failures = {
  InvalidApiKey: { status: 400, advice: 'Send a key of this surface.' },
  InvalidParameter: { status: 400, advice: 'Correct the request.' },
  InvalidAddress: { status: 400, advice: "Give one of address and txid, an address being one of that coin's chain." },
  UnsupportedToken: { status: 400, advice: 'Choose a coin of the list.' },
  UnsupportedAddressType: {
    status: 400,
    advice: 'Give the address itself: the text is a name, another form of it, or an address of a test network.',
  },
  PaymentRequired: { status: 402, advice: 'Pay: the header PAYMENT-REQUIRED says how, and why a payment that came was not taken.' },
  ExpiredPlan: { status: 402, advice: 'Renew the plan.' },
  InvalidAccessToken: { status: 403, advice: 'Take the address of a report as it came.' },
  ExpiredAccessToken: { status: 403, advice: 'Ask for the score again: the answer has a new address.' },
  PageNotFound: { status: 404, advice: 'See the documented paths here.' },
  PaymentConflict: { status: 409, advice: 'The payment identifier was used for another request. Use a new one.' },
  PaymentInProgress: { status: 409, advice: 'Send the same request with the same payment again: an earlier one is still being answered.' },
  PayloadTooLarge: { status: 413, advice: 'Send less.' },
  UnsupportedMediaType: { status: 415, advice: 'Send application/json.' },
  ExceededRateLimit: { status: 429, advice: 'Wait retry_after seconds.' },
  ExceededDailyRateLimit: { status: 429, advice: 'Wait retry_after seconds: until the next UTC day.' },
  InternalError: { status: 500, advice: 'Ask the operator: the log has the cause.' },
  SettlementPending: {
    status: 503,
    advice:
      'Send the same request with the same payment again: it is not known yet whether it was charged, and it is charged once at most.',
  },
  ServiceUnavailable: { status: 503, advice: 'Try again: a dependency is unavailable, or a score was not ready in time.' },
} as const;

export type FailureCode = keyof typeof failures;

export const failureCodes = Object.keys(failures) as readonly FailureCode[];

export function statusOf(code: FailureCode): number {
  return failures[code].status;
}

export function adviceOf(code: FailureCode): string {
  return failures[code].advice;
}

export class Failure extends Error {
  readonly code: FailureCode;
  readonly status: (typeof failures)[FailureCode]['status'];
  readonly retriable: boolean;
  /** Whole seconds; set for limits, and for a payment to be sent again. */
  readonly retryAfter: number | undefined;

  constructor(code: FailureCode, retryAfter?: number) {
    super(code);
    this.name = 'Failure';
    this.code = code;
    this.status = failures[code].status;
    this.retriable = this.status === 429 || this.status === 503 || code === 'PaymentInProgress';
    this.retryAfter = retryAfter;
  }
}
