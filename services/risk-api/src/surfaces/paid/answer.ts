import type { Clock } from '@weir/clock';
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { Context } from 'hono';
import { Failure } from '../../failure.ts';
import type { PaymentError } from '../../payments/verification.ts';
import { payNetworks } from '../../payments/networks.ts';
import { paymentRequired, requirementsOf } from '../../payments/requirements.ts';
import type { PaidOperation } from './paid-operation.ts';
import { readPayment } from '../../payments/payment.ts';
import type { Payments } from '../../payments/payments.ts';
import { canonicalResource, memoFor, ownParameters, ownResource, requestDigest } from '../../payments/resource.ts';
import type { PaidCallContext } from './routes.ts';
import type { PaidRequest } from '../../payments/payment-processor.ts';

export interface AnswerParts {
  readonly payments: Payments;
  readonly clock: Clock;
  readonly random: (bytes: number) => Buffer;
  readonly locationOf: (taskId: string) => string;
  readonly clientOf: (c: Context) => string;
}

/** The resource travels in a header in both directions. A longer URL is cut to its path. */
const longestUrl = 1_000;
/** Used before the fee payer is known: these requirements are only compared with the payment. */
const anyNetwork = new Map(payNetworks.map((network) => [network, undefined]));

export function createAnswer(parts: AnswerParts) {
  const { payments, clock, random, locationOf, clientOf } = parts;

  return async (c: Context, { operation, origin, parameters }: PaidCallContext): Promise<Response> => {
    const { signal } = c.req.raw;
    const { pathname, search } = new URL(c.req.url);
    const full = ownResource(operation, origin + pathname + search) ?? origin + pathname;
    // As callers write it: a proxy may strip a path prefix of the public URL.
    const resource = canonicalResource(full) ?? pathname;
    const url = full.length > longestUrl ? origin + pathname : full;
    const required = async (error: PaymentError, receipt?: SettleResponse): Promise<Response> => {
      const accepts = requirementsOf(payments.plan, operation, await payments.facilitator.offeredNetworks(), memoFor(url, random));
      if (accepts.length === 0) throw new Failure('ServiceUnavailable', 5);
      if (receipt !== undefined) c.header('PAYMENT-RESPONSE', encodePaymentResponseHeader(receipt));
      return sendRequired(c, operation, url, accepts, error);
    };
    const header = c.req.header('PAYMENT-SIGNATURE');
    // HEAD has no body to sell, so its payment is ignored.
    if (header === undefined || c.req.raw.method === 'HEAD') return required('payment_required');

    const wanted = requirementsOf(payments.plan, operation, anyNetwork, memoFor(url, random));
    const payment = await readPayment(header, wanted, { operation, requested: resource }, clock.now());
    if (typeof payment === 'string') return required(payment);
    const request: PaidRequest = {
      operation: operation.name,
      client: clientOf(c),
      resource,
      digest: requestDigest(operation.method, pathname, parameters instanceof Failure ? undefined : ownParameters(operation, parameters)),
      prepare: () => {
        if (parameters instanceof Failure) throw parameters;
        if (parameters === undefined) throw new Failure('InvalidParameter');
        const run = operation.prepare(parameters);
        return () => run({ origin, signal });
      },
      signal,
    };
    const outcome = await payments.processor.take(request, payment);
    if (outcome.is === 'required') return required(outcome.error, outcome.receipt);
    c.header('PAYMENT-RESPONSE', encodePaymentResponseHeader(outcome.receipt));
    if (outcome.taskId !== null) c.header('Location', locationOf(outcome.taskId));
    return c.body(outcome.body, 200, { 'content-type': 'application/json' });
  };
}

/** The body repeats the header inside the common failure envelope. x402 clients read the header. */
function sendRequired(c: Context, operation: PaidOperation, url: string, accepts: PaymentRequirements[], error: PaymentError): Response {
  const wanted = paymentRequired(operation, url, accepts, error);
  c.header('PAYMENT-REQUIRED', encodePaymentRequiredHeader(wanted));
  return c.json({ success: false, msg: 'PaymentRequired', data: {}, ...wanted }, 402);
}
