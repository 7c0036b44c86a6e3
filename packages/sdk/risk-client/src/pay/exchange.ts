import { call, type HttpOptions, type Reply } from '../http.ts';
import { type ErrorBody, refusalOf } from '../refusal.ts';
import type { Refusal, Unavailable } from '../types.ts';
import { codeIn, notPaid, readPaymentRequired, readSettled } from './offer.ts';
import { operations } from './operations.ts';
import type { Claim, NotPaid, PaidOperation, Payment } from './types.ts';

/** The API's reaction to a payment. `repeat`: not conclusive, send the same payment again. */
export type Outcome =
  | { readonly kind: 'answered'; readonly reply: Reply; readonly transaction: string | null }
  /** `isSpent`: charged, and the API no longer keeps the answer. */
  | { readonly kind: 'refused'; readonly answer: NotPaid | Refusal; readonly isSpent?: boolean }
  | { readonly kind: 'repeat'; readonly detail: string; readonly afterMs: number };

/** Sends the request without a payment; the API answers with its payment requirements. */
export function ask(
  http: HttpOptions,
  operation: PaidOperation,
  fields: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Reply | Unavailable> {
  return call(http, { method: operations[operation].method, path: `/x402/${operation}`, fields, open: true }, signal);
}

export async function send(http: HttpOptions, claim: Claim, signal?: AbortSignal): Promise<Outcome> {
  const { operation, fields, signature } = claim;
  const headers = { 'payment-signature': signature };
  const reply = await call(http, { method: operations[operation].method, path: `/x402/${operation}`, fields, open: true, headers }, signal);
  if ('kind' in reply) return { kind: 'repeat', detail: reply.detail, afterMs: 0 };
  return outcomeOf(http, reply);
}

/** Temporary statuses. */
const passing = new Set([202, 408, 421, 425, 429]);

function outcomeOf(http: HttpOptions, reply: Reply): Outcome {
  const { status, headers, body } = reply;
  const settled = readSettled(headers.get('payment-response'));
  if (status === 200 && 'problem' in body) return { kind: 'repeat', detail: body.problem, afterMs: 0 };
  if (status === 200)
    return { kind: 'answered', reply, transaction: settled?.success === true && settled.transaction !== '' ? settled.transaction : null };
  const isPending = settled?.errorReason === 'settlement_pending';
  const again: Outcome = { kind: 'repeat', detail: `HTTP ${status}`, afterMs: secondsOf(reply.retryAfter) * 1_000 };
  if (status >= 500 || (status >= 300 && status < 400) || passing.has(status) || isPending) return again;
  const error = errorOf(body);
  if (status === 409 && error?.msg === 'PaymentInProgress') return again;
  const required = readPaymentRequired(headers.get('payment-required'));
  // A proxy's page does not tell whether the payment was charged.
  if (required === undefined && settled === undefined && codeIn(error?.msg) === undefined) return again;
  if (status === 402) {
    const reason = required?.error ?? settled?.errorReason ?? error?.msg;
    return { kind: 'refused', answer: notPaid('REFUSED', codeIn(reason) ?? 'HTTP 402'), isSpent: reason === 'authorization_used' };
  }
  if (status === 409) return { kind: 'refused', answer: notPaid('ID_CONFLICT', codeIn(error?.msg) ?? 'HTTP 409') };
  return { kind: 'refused', answer: refusalOf(reply, error, http) };
}

function errorOf(body: Reply['body']): ErrorBody | undefined {
  try {
    const value: unknown = 'text' in body ? JSON.parse(body.text) : undefined;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Three digits at most. */
function secondsOf(header: string | null): number {
  return header !== null && /^\d{1,3}$/.test(header) ? Number(header) : 0;
}

export function paymentOf(claim: Claim, state: Payment['state'], transaction: string | null = null): Payment {
  return { claim, state, transaction };
}
