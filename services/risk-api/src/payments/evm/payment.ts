import { setImmediate } from 'node:timers/promises';
import type { PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { type Hex, recoverTypedDataAddress } from 'viem';
import { z } from 'zod';
import type { PaymentError, Signed } from '../verification.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const whole = z.string().regex(/^\d{1,78}$/);

const transfer = z.strictObject({
  authorization: z.strictObject({
    from: address,
    to: address,
    value: whole,
    validAfter: whole,
    validBefore: whole,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){65,4096}$/),
});

export type EvmTransfer = z.output<typeof transfer>;

/** Time left for inclusion in a block. Facilitators demand as much. */
const marginSeconds = 6;
/** Bounds how long an authorization that was sent and not executed must be reconciled. */
const longestSeconds = 3_600;

export function evmTransferOf(payload: unknown): EvmTransfer | undefined {
  return transfer.safeParse(payload).data;
}

/** EIP-3009 is the only transfer method offered. */
export async function readEvmPayment(payload: unknown, requirements: PaymentRequirements, nowMs: number): Promise<Signed | PaymentError> {
  const parsed = evmTransferOf(payload);
  if (parsed === undefined) return 'invalid_payload';
  const { from, nonce } = parsed.authorization;
  const proven = await inOwnTurn(() => isSignedBy(parsed, requirements));
  return { payer: from.toLowerCase(), key: nonce.toLowerCase(), proven, fault: faultOf(parsed, requirements, nowMs) };
}

function faultOf({ authorization: signed }: EvmTransfer, requirements: PaymentRequirements, nowMs: number): PaymentError | undefined {
  const now = BigInt(Math.floor(nowMs / 1000));
  if (signed.to.toLowerCase() !== requirements.payTo.toLowerCase()) return 'invalid_recipient';
  if (BigInt(signed.value) !== BigInt(requirements.amount)) return 'invalid_amount';
  if (BigInt(signed.validBefore) < now + BigInt(marginSeconds)) return 'payment_expired';
  if (BigInt(signed.validBefore) > now + BigInt(longestSeconds)) return 'invalid_payment_requirements';
  return BigInt(signed.validAfter) > now ? 'payment_not_yet_valid' : undefined;
}

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * One call for each turn of the event loop. A recovery is milliseconds of computation, and a flood of them in one turn would stop
 * everything else in this process, so that connections to the database run into their limit.
 */
function inOwnTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(() => setImmediate()).then(work);
  lastTurn = turn.catch(() => undefined);
  return turn;
}

/** Whether the payer's own key made the signature. False for a contract wallet: only its chain can check that signature. */
async function isSignedBy({ authorization, signature }: EvmTransfer, { asset, extra, network }: PaymentRequirements): Promise<boolean> {
  const { name, version } = (extra ?? {}) as Record<string, string>;
  const signer = await recoverTypedDataAddress({
    domain: { name: name ?? '', version: version ?? '', chainId: Number(network.split(':')[1]), verifyingContract: asset as Hex },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex,
    },
    signature: signature as Hex,
  }).catch(() => undefined);
  return signer?.toLowerCase() === authorization.from.toLowerCase();
}
