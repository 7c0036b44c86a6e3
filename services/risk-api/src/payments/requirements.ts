import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import type { PaymentError } from './verification.ts';
import { evmNetwork, payNetworks, unitsOf, usdcOn } from './networks.ts';
import type { PaidResource } from './resource.ts';
import type { PaymentConfig } from './payment-config.ts';

const maxTimeoutSeconds = 300;

/** One entry for each network with a receiver on which the facilitator settles. `feePayers` maps these networks to their fee payers. */
export function requirementsOf(
  plan: PaymentConfig,
  operation: PaidResource,
  feePayers: ReadonlyMap<string, string | undefined>,
  memo: string,
): PaymentRequirements[] {
  return payNetworks.flatMap((network) => {
    const payTo = plan.receivers.get(network);
    if (payTo === undefined || !feePayers.has(network)) return [];
    const { asset, extra } = usdcOn[network];
    const own = network === evmNetwork ? {} : { feePayer: feePayers.get(network), memo };
    const amount = unitsOf(plan.prices[operation.price]).toString();
    return [{ scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds, extra: { ...extra, ...own } }];
  });
}

export function paymentRequired(
  operation: PaidResource,
  url: string,
  accepts: PaymentRequirements[],
  error: PaymentError,
): PaymentRequired {
  return {
    x402Version: 2,
    error,
    resource: { url, description: operation.summary, mimeType: 'application/json', serviceName: 'Weir risk API' },
    accepts,
    extensions: { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false), ...discoveryOf(operation) },
  };
}

const declared = new Map<string, Record<string, unknown>>();

/**
 * Bazaar metadata for catalogues of paid resources. Only names and types of parameters, because it travels in a header in both directions.
 */
function discoveryOf({ name, method, request, example }: PaidResource): Record<string, unknown> {
  const known = declared.get(name);
  if (known !== undefined) return known;
  const { properties = {}, required } = z.toJSONSchema(request, { io: 'input' });
  const plain = Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, { type: (schema as { type?: string }).type ?? 'string' }]),
  );
  const inputSchema = { type: 'object', properties: plain, ...(required === undefined ? {} : { required }) };
  const input = example.request;
  const declaration =
    method === 'POST'
      ? declareDiscoveryExtension({ bodyType: 'json', input, inputSchema })
      : declareDiscoveryExtension({ input, inputSchema });
  const { bazaar } = declaration as unknown as { bazaar: { info: { input: object } } };
  const own = { bazaar: { ...bazaar, info: { ...bazaar.info, input: { ...bazaar.info.input, method } } } };
  declared.set(name, own);
  return own;
}
