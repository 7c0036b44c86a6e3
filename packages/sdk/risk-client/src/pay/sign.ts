import type { Offer } from './offer.ts';
import type { Claim, PaidOperation, Wallets } from './types.ts';

/** Solana accepts a transaction for 150 blocks, which have never taken longer. */
const blockhashMs = 120_000;

/**
 * Signs exactly the offer. Imports only the x402 libraries of the wallet's chain, at the first payment.
 * Rejects when the wallet or its node fails.
 */
export async function sign(
  { required, requirement }: Offer,
  wallets: Wallets,
  call: {
    readonly paymentId: string;
    readonly operation: PaidOperation;
    readonly fields: Readonly<Record<string, string>>;
    readonly nowMs: number;
  },
): Promise<Claim> {
  const { appendPaymentIdentifierToExtensions } = await import('@x402/extensions/payment-identifier');
  const { encodePaymentSignatureHeader } = await import('@x402/core/http');
  const scheme = await schemeOf(requirement.network, wallets);
  const accepted = requirement as Parameters<typeof scheme.createPaymentPayload>[1];
  const { payload } = await scheme.createPaymentPayload(2, accepted);
  const extensions = appendPaymentIdentifierToExtensions(structuredClone(required.extensions ?? {}), call.paymentId);
  const resource = required.resource as NonNullable<Parameters<typeof encodePaymentSignatureHeader>[0]['resource']>;
  return {
    paymentId: call.paymentId,
    operation: call.operation,
    fields: call.fields,
    network: requirement.network,
    payTo: requirement.payTo,
    amount: requirement.amount,
    validUntilMs: validUntilOf(payload) ?? call.nowMs + blockhashMs,
    signature: encodePaymentSignatureHeader({ x402Version: 2, resource, accepted, payload, extensions }),
  };
}

async function schemeOf(network: string, { evm, solana }: Wallets) {
  if (network.startsWith('eip155:') && evm !== undefined) {
    const { ExactEvmScheme } = await import('@x402/evm/exact/client');
    return new ExactEvmScheme(evm);
  }
  if (network.startsWith('solana:') && solana !== undefined) {
    const { ExactSvmScheme } = await import('@x402/svm/exact/client');
    const signer = solana.signer as ConstructorParameters<typeof ExactSvmScheme>[0];
    return new ExactSvmScheme(signer, solana.rpcUrl === undefined ? {} : { rpcUrl: solana.rpcUrl });
  }
  throw new Error('no wallet for this network');
}

/** A USDC authorization states its own expiry. */
function validUntilOf(payload: Record<string, unknown>): number | undefined {
  const { validBefore } = (payload.authorization ?? {}) as { validBefore?: unknown };
  return typeof validBefore === 'string' && /^\d{1,12}$/.test(validBefore) ? Number(validBefore) * 1_000 : undefined;
}
