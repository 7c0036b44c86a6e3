import { createHash } from 'node:crypto';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { PaymentPayloadV2Schema } from '@x402/core/schemas';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { extractPaymentIdentifier } from '@x402/extensions/payment-identifier';
import type { PaymentError, Signed } from './verification.ts';
import { readEvmPayment } from './evm/payment.ts';
import { evmNetwork, type PayNetwork } from './networks.ts';
import { isFor, isMemoFor, ownResource, type PaidResource } from './resource.ts';
import { readSolanaPayment } from './solana/payment.ts';

export interface Payment extends Signed {
  readonly network: PayNetwork;
  /** Includes the signature. */
  readonly signedSha256: Buffer;
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  readonly identifier: string | undefined;
}

/** Half of the limit on all headers of a request. */
const longestHeader = 12_288;
/** JSON escapes for NUL and surrogates, which `jsonb` in the ledger rejects. */
const unstorable = /\\u(0000|d[89a-f])/;

/** Checks everything that needs no chain. The facilitator checks signature and balance. */
export async function readPayment(
  header: string,
  accepts: readonly PaymentRequirements[],
  { operation, requested }: { operation: PaidResource; requested: string },
  nowMs: number,
): Promise<Payment | PaymentError> {
  const sent = decode(header);
  if (typeof sent === 'string') return sent;
  const own = accepts.find(({ network }) => network === sent.accepted.network);
  if (own === undefined) return 'invalid_network';
  const named = sent.resource === undefined ? undefined : ownResource(operation, sent.resource.url);
  if (sent.resource === undefined || named === undefined || !isFor(named, requested)) return 'resource_mismatch';
  // The ledger and the facilitator see only the operation's own parameters.
  const payload = { ...sent, resource: { ...sent.resource, url: named } };
  const network = own.network as PayNetwork;
  const requirements = network === evmNetwork ? own : withMemo(own, payload, named);
  if (typeof requirements === 'string') return requirements;
  const signed = await (network === evmNetwork ? readEvmPayment : readSolanaPayment)(payload.payload, requirements, nowMs);
  if (typeof signed === 'string') return signed;
  const fault = mismatch(payload, own) ?? signed.fault;
  const identifier = extractPaymentIdentifier(payload) ?? undefined;
  return { network, ...signed, fault, signedSha256: digest(payload.payload), payload, requirements, identifier };
}

function decode(header: string): PaymentPayload | PaymentError {
  if (header.length > longestHeader) return 'invalid_payload';
  let value: unknown;
  try {
    value = decodePaymentSignatureHeader(header);
  } catch {
    return 'invalid_payload';
  }
  const { x402Version } = Object(value) as { x402Version?: unknown };
  if (x402Version !== 2) return x402Version === undefined ? 'invalid_payload' : 'invalid_x402_version';
  if (unstorable.test(JSON.stringify(value))) return 'invalid_payload';
  const parsed = PaymentPayloadV2Schema.safeParse(value);
  return parsed.success ? (parsed.data as PaymentPayload) : 'invalid_payload';
}

/** Whether the payment accepts the current requirements. The signed content is checked apart from this. */
function mismatch({ accepted }: PaymentPayload, own: PaymentRequirements): PaymentError | undefined {
  if (accepted.scheme !== own.scheme) return 'invalid_scheme';
  const isSame = (['amount', 'asset', 'payTo'] as const).every((field) => accepted[field].toLowerCase() === own[field].toLowerCase());
  return isSame ? undefined : 'invalid_payment_requirements';
}

/** Takes memo and fee payer from the earlier offer. The memo must match this resource; the facilitator checks the fees. */
function withMemo(own: PaymentRequirements, { accepted }: PaymentPayload, named: string): PaymentRequirements | PaymentError {
  const { memo, feePayer } = accepted.extra ?? {};
  if (!isMemoFor(memo, named)) return 'resource_mismatch';
  if (typeof feePayer !== 'string') return 'invalid_payment_requirements';
  return { ...own, extra: { ...own.extra, memo, feePayer } };
}

function digest(signed: Readonly<Record<string, unknown>>): Buffer {
  const sorted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, own]) => [name, sorted(own)]),
        )
      : value;
  return createHash('sha256')
    .update(JSON.stringify(sorted(signed)))
    .digest();
}
