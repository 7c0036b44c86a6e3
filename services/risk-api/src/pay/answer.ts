import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { Context } from 'hono';
import type { Clock } from '@weir/clock';
import { Failure } from '../failure.ts';
import type { PaymentError } from './errors.ts';
import { payNetworks } from './networks.ts';
import { paymentRequired, requirementsOf } from './offer.ts';
import type { PaidOperation } from './paid-operation.ts';
import { readPayment } from './payment.ts';
import type { Payments } from './payments.ts';
import { canonicalResource, memoFor, ownParameters, ownResource, requestDigest } from './resource.ts';
import type { PaidCallContext } from './routes.ts';
import type { PaidRequest } from './till.ts';

export interface AnswerParts {
  readonly payments: Payments;
  readonly clock: Clock;
  readonly random: (bytes: number) => Buffer;
  /** The address at which a task is polled. */
  readonly locationOf: (taskId: string) => string;
  /** Address of the caller. */
  readonly clientOf: (c: Context) => string;
}

/** The resource travels in a header, there and back; of a longer address the path alone is named. */
const longestUrl = 1_000;
/** For whoever reads what is wanted without knowing yet who pays the fees: it is only compared with what a payment says. */
const anyNetwork = new Map(payNetworks.map((network) => [network, undefined]));

/** Answers a paid call: 402 with what there is to pay, or what was paid for. */
export function createAnswer(parts: AnswerParts) {
  const { payments, clock, random, locationOf, clientOf } = parts;

  return async (c: Context, { operation, origin, parameters }: PaidCallContext): Promise<Response> => {
    const { pathname, search } = new URL(c.req.url);
    const full = ownResource(operation, origin + pathname + search) ?? origin + pathname;
    // As callers name it: a public address may have a path of its own, which a proxy takes off.
    const resource = canonicalResource(full) ?? pathname;
    const url = full.length > longestUrl ? origin + pathname : full;
    const required = async (error: PaymentError, receipt?: SettleResponse): Promise<Response> => {
      const accepts = requirementsOf(payments.plan, operation, await payments.cashier.networks(), memoFor(url, random));
      if (accepts.length === 0) throw new Failure('ServiceUnavailable', 5);
      if (receipt !== undefined) c.header('PAYMENT-RESPONSE', encodePaymentResponseHeader(receipt));
      return sendRequired(c, operation, url, accepts, error);
    };
    const header = c.req.header('PAYMENT-SIGNATURE');
    // HEAD has no body to sell, so a payment that comes with it is not even looked at.
    if (header === undefined || c.req.raw.method === 'HEAD') return required('payment_required');

    const wanted = requirementsOf(payments.plan, operation, anyNetwork, memoFor(url, random));
    const payment = await readPayment(header, wanted, { operation, requested: resource }, clock.now());
    if (typeof payment === 'string') return required(payment);
    const request: PaidRequest = {
      operation,
      client: clientOf(c),
      resource,
      digest: requestDigest(operation.method, pathname, parameters instanceof Failure ? undefined : ownParameters(operation, parameters)),
      parameters: () => {
        if (parameters instanceof Failure) throw parameters;
        if (parameters === undefined) throw new Failure('InvalidParameter');
        return parameters;
      },
      call: { origin, signal: c.req.raw.signal },
    };
    const outcome = await payments.till.take(request, payment);
    if (outcome.is === 'required') return required(outcome.error, outcome.receipt);
    c.header('PAYMENT-RESPONSE', encodePaymentResponseHeader(outcome.receipt));
    if (outcome.taskId !== null) c.header('Location', locationOf(outcome.taskId));
    return c.body(outcome.body, 200, { 'content-type': 'application/json' });
  };
}

/** The body has what the header has, inside the envelope of every failure. The header is what clients of the protocol read. */
function sendRequired(c: Context, operation: PaidOperation, url: string, accepts: PaymentRequirements[], error: PaymentError): Response {
  const wanted = paymentRequired(operation, url, accepts, error);
  c.header('PAYMENT-REQUIRED', encodePaymentRequiredHeader(wanted));
  return c.json({ success: false, msg: 'PaymentRequired', data: {}, ...wanted }, 402);
}
