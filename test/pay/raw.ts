import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import type { Payer } from './world.ts';

/** A caller outside the client's rules: it changes payments and sends them anywhere. */

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The code in `PAYMENT-REQUIRED`. */
  readonly error: string | undefined;
  readonly receipt: SettleResponse | undefined;
}

export async function send(url: string, { method = 'GET', path, body }: Asked, payment?: string): Promise<Answered> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(payment !== undefined && { 'payment-signature': payment }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  const required = response.headers.get('payment-required');
  const settled = response.headers.get('payment-response');
  return {
    status: response.status,
    text: await response.text(),
    headers: response.headers,
    error: required === null ? undefined : decodePaymentRequiredHeader(required).error,
    receipt: settled === null ? undefined : decodePaymentResponseHeader(settled),
  };
}

export interface Changes {
  readonly id?: string;
  /** Changes the signed requirements. */
  readonly sign?: Partial<PaymentRequirements>;
  /** Changes the payment's `accepted` after signing. */
  readonly accept?: Partial<PaymentRequirements>;
  /** Changes the whole payload after signing. */
  readonly payload?: (payload: PaymentPayload) => PaymentPayload;
}

/** Fetches the offer and signs it with the given changes. */
export async function pay(url: string, asked: Asked, payer: Pick<Payer, 'network' | 'wallets'>, changes: Changes = {}): Promise<string> {
  const required = await offerOf(url, asked);
  const own = required.accepts.find(({ network }) => network === payer.network);
  if (own === undefined) throw new Error(`${payer.network} is not offered`);
  const signed: PaymentRequirements = { ...own, ...changes.sign };
  const { payload } = await schemeOf(payer).createPaymentPayload(2, signed);
  const extensions = structuredClone(required.extensions ?? {});
  if (changes.id !== undefined) appendPaymentIdentifierToExtensions(extensions, changes.id);
  const whole: PaymentPayload = {
    x402Version: 2,
    resource: required.resource,
    accepted: { ...signed, ...changes.accept },
    payload,
    extensions,
  };
  return encodePaymentSignatureHeader(changes.payload?.(whole) ?? whole);
}

export async function offerOf(url: string, asked: Asked): Promise<PaymentRequired> {
  const { status, headers } = await send(url, asked);
  const header = headers.get('payment-required');
  if (status !== 402 || header === null) throw new Error(`no offer: ${status}`);
  return decodePaymentRequiredHeader(header);
}

function schemeOf({ wallets }: Pick<Payer, 'wallets'>) {
  if (wallets.evm !== undefined) return new ExactEvmScheme(wallets.evm);
  const { signer, rpcUrl = '' } = wallets.solana ?? {};
  return new ExactSvmScheme(signer as ConstructorParameters<typeof ExactSvmScheme>[0], { rpcUrl });
}
