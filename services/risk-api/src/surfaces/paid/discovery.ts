import { z } from 'zod';
import type { Description } from '../../http/operation.ts';
import type { PaidOperation } from './paid-operation.ts';
import type { PaymentConfig } from '../../payments/payment-config.ts';
import { type PaidName, specifiedPrices } from '../../payments/prices.ts';

type Prices = Readonly<Record<PaidName, string>>;

/** The payment terms of a call, as an OpenAPI extension. */
export function paymentInfo({ price }: PaidOperation, prices: Prices = specifiedPrices) {
  return { 'x-payment-info': { protocols: ['x402'], pricingMode: 'fixed', price: prices[price], currency: 'USDC' } } as const;
}

const resource = z.strictObject({
  resource: z.string(),
  type: z.literal('http'),
  method: z.enum(['GET', 'POST']),
  description: z.string(),
  price: z.string().meta({ description: 'USDC a call.' }),
  currency: z.literal('USDC'),
});

export const wellKnownPage: Description = {
  name: 'x402_resources',
  surface: 'x402',
  method: 'GET',
  path: '/.well-known/x402',
  summary: 'The paid resources, with their prices and the networks they can be paid on. No key, no payment.',
  keyed: false,
  request: z.object({}),
  answer: z.strictObject({
    version: z.literal(1),
    x402Version: z.literal(2),
    scheme: z.literal('exact'),
    networks: z.array(z.string()).meta({ description: 'Empty: nothing can be paid for here now.' }),
    resources: z.array(z.string()).meta({ description: 'Addresses of the resources.' }),
    items: z.array(resource),
  }),
  example: {
    request: {},
    answer: {
      version: 1,
      x402Version: 2,
      scheme: 'exact',
      networks: ['eip155:8453'],
      resources: ['https://risk.example/x402/address_labels'],
      items: [
        {
          resource: 'https://risk.example/x402/address_labels',
          type: 'http',
          method: 'GET',
          description: 'Labels of an address.',
          price: '0.1',
          currency: 'USDC',
        },
      ],
    },
  },
  refusals: [],
};

export function wellKnown(operations: readonly PaidOperation[], plan: PaymentConfig | undefined, origin: string) {
  const prices = plan?.prices ?? specifiedPrices;
  const items = operations.map(({ path, method, summary, price }) => ({
    resource: origin + path,
    type: 'http',
    method,
    description: summary,
    price: prices[price],
    currency: 'USDC',
  }));
  const offered = plan === undefined ? [] : items;
  return {
    version: 1,
    x402Version: 2,
    scheme: 'exact',
    networks: [...(plan?.receivers.keys() ?? [])],
    resources: offered.map((item) => item.resource),
    items: offered,
  };
}
