import type { Context, Hono, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { Failure } from '../../failure.ts';
import type { Origin } from '../../http/origin.ts';
import { type Parameters, readBody, readQuery } from '../../http/parameters.ts';
import type { PaidOperation } from './paid-operation.ts';

export interface PaidCallContext {
  readonly operation: PaidOperation;
  readonly origin: Origin;
  /** Undefined: the body is not a JSON object. A `Failure` is `UnsupportedMediaType`. */
  readonly parameters: Parameters | undefined | Failure;
}

const ownHeaders = ['PAYMENT-REQUIRED', 'PAYMENT-SIGNATURE', 'PAYMENT-RESPONSE'];

/** Lets pages of other origins pay and read the answer. OPTIONS takes no payment. */
export function paymentCors(): MiddlewareHandler {
  return cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    allowHeaders: ['Content-Type', ...ownHeaders],
    exposeHeaders: [...ownHeaders, 'Location', 'Retry-After'],
    maxAge: 7_200,
  });
}

/** `answer` is undefined where nothing can be paid. */
export function payRoutes(
  app: Hono,
  operations: readonly PaidOperation[],
  answer: ((c: Context, paid: PaidCallContext) => Promise<Response>) | undefined,
  originOf: (c: Context) => Origin,
): void {
  for (const operation of operations) {
    app.on(operation.method, operation.path, async (c) => {
      if (answer === undefined) throw new Failure('ServiceUnavailable');
      return answer(c, { operation, origin: originOf(c), parameters: await parametersOf(c, operation) });
    });
  }
}

/** Payment comes before validation, so a body that cannot be parsed is reported after payment only. */
async function parametersOf(c: Context, { method }: PaidOperation): Promise<Parameters | undefined | Failure> {
  if (method === 'GET') return readQuery(c);
  try {
    return await readBody(c);
  } catch (error) {
    if (error instanceof Failure && error.code === 'UnsupportedMediaType') return error;
    throw error;
  }
}
