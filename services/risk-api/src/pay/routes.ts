import type { Context, Hono, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { Failure } from '../failure.ts';
import type { Origin } from '../http/origin.ts';
import { type Parameters, readBody, readQuery } from '../http/parameters.ts';
import type { PaidOperation } from './paid-operation.ts';
import type { PaidName } from './prices.ts';

/** The calls that are paid for. */
export interface PaySurface {
  readonly operations: readonly PaidOperation[];
  /** Undefined where the surface is off. */
  readonly answer: ((c: Context, paid: PaidCallContext) => Promise<Response>) | undefined;
  /** USDC a call. */
  readonly prices: Readonly<Record<PaidName, string>>;
}

/** A call as it came. */
export interface PaidCallContext {
  readonly operation: PaidOperation;
  readonly origin: Origin;
  /** Undefined: a body that is no JSON object. Fails with `UnsupportedMediaType`. */
  readonly parameters: Parameters | undefined | Failure;
}

const ownHeaders = ['PAYMENT-REQUIRED', 'PAYMENT-SIGNATURE', 'PAYMENT-RESPONSE'];

/** Pages of other origins may pay and read what comes back. OPTIONS takes no payment. */
export function paymentCors(): MiddlewareHandler {
  return cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    allowHeaders: ['Content-Type', ...ownHeaders],
    exposeHeaders: [...ownHeaders, 'Location', 'Retry-After'],
    maxAge: 7_200,
  });
}

/** The calls that are paid for. Off, each says so. */
export function payRoutes(app: Hono, { operations, answer }: PaySurface, originOf: (c: Context) => Origin): void {
  for (const operation of operations) {
    app.on(operation.method, operation.path, async (c) => {
      if (answer === undefined) throw new Failure('ServiceUnavailable');
      return answer(c, { operation, origin: originOf(c), parameters: await parametersOf(c, operation) });
    });
  }
}

/** Payment comes before validation: whether the parameters can be read is told when it is paid. */
async function parametersOf(c: Context, { method }: PaidOperation): Promise<Parameters | undefined | Failure> {
  if (method === 'GET') return readQuery(c);
  try {
    return await readBody(c);
  } catch (error) {
    if (error instanceof Failure && error.code === 'UnsupportedMediaType') return error;
    throw error;
  }
}
