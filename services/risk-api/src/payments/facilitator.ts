import { type Clock, within } from '@weir/clock';
import type { FacilitatorClient } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements, SettleResponse, SupportedResponse, VerifyResponse } from '@x402/core/types';
import { Failure } from '../failure.ts';
import { type PaymentError, paymentErrorOf } from './verification.ts';

export type Settlement =
  | { readonly is: 'settled'; readonly transaction: string }
  /** Checked and never sent: nothing is charged. */
  | { readonly is: 'refused'; readonly error: PaymentError }
  /** The facilitator never received it. */
  | { readonly is: 'unsent' }
  /** The charge is uncertain. `reason` is a code of this API. */
  | { readonly is: 'unclear'; readonly reason: string; readonly transaction: string | undefined };

export interface Facilitator {
  /** Undefined: valid. Fails with `ServiceUnavailable` without an answer in time. */
  verify(payload: PaymentPayload, requirements: PaymentRequirements, payer: string): Promise<PaymentError | undefined>;
  /** Never fails: every error is an outcome. */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement>;
  /** The networks on which it settles, each with its fee payer where known. Fails with `ServiceUnavailable` while they are unknown. */
  networks(): Promise<ReadonlyMap<string, string | undefined>>;
}

/** Two clients, because verification and settlement have different time limits. */
export interface Clients {
  readonly verify: Pick<FacilitatorClient, 'verify' | 'getSupported'>;
  readonly settle: Pick<FacilitatorClient, 'settle'>;
}

const retryAfterSeconds = 5;
/** The fee payer may change at any time, the networks only with the facilitator's configuration. */
const supportedGoodMs = 300_000;
const awayPauseMs = 1_000;

export function createFacilitator(
  clients: Clients,
  options: { clock: Clock; verifyMs: number; complain: (error: unknown, what: string) => void },
): Facilitator {
  const { clock, verifyMs, complain } = options;
  let known: { networks: ReadonlyMap<string, string | undefined>; until: number } | undefined;
  let asking: Promise<void> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<void> {
    askedAt = clock.monotonic();
    try {
      known = {
        networks: networksOf(await within(clock, verifyMs, clients.verify.getSupported())),
        until: clock.monotonic() + supportedGoodMs,
      };
    } catch (error) {
      complain(error, 'the facilitator does not say what it settles on');
    } finally {
      asking = undefined;
    }
  }

  return {
    verify: async (payload, requirements, payer) => {
      let answer: VerifyResponse;
      try {
        answer = await clients.verify.verify(payload, requirements);
      } catch (error) {
        const { statusCode, invalidReason } = error as { statusCode?: number; invalidReason?: string };
        if (statusCode === undefined || statusCode >= 500) throw away(error);
        answer = { isValid: false, ...(invalidReason === undefined ? {} : { invalidReason }) };
      }
      if (!answer.isValid) {
        if (answer.invalidReason?.startsWith('unexpected')) throw away(new Error('the facilitator could not verify'));
        return paymentErrorOf(answer.invalidReason);
      }
      return answer.payer === undefined || answer.payer.toLowerCase() === payer.toLowerCase() ? undefined : 'invalid_payload';
    },
    settle: async (payload, requirements) => {
      try {
        return settlementOf(await clients.settle.settle(payload, requirements));
      } catch (error) {
        const { statusCode, errorReason, transaction } = error as Partial<SettleResponse> & { statusCode?: number };
        if (statusCode !== undefined && statusCode < 500)
          return settlementOf({
            success: false,
            errorReason: errorReason ?? '',
            transaction: transaction ?? '',
            network: requirements.network,
          });
        complain(error, 'no answer to a settlement');
        return isUnsent(error) ? { is: 'unsent' } : { is: 'unclear', reason: 'no_answer', transaction: undefined };
      }
    },
    networks: async () => {
      const now = clock.monotonic();
      if (known === undefined || now > known.until) {
        if (asking === undefined && now - askedAt >= awayPauseMs) asking = ask();
        // A known list serves until its refresh arrives.
        if (known === undefined) await asking;
      }
      if (known === undefined) throw new Failure('ServiceUnavailable', retryAfterSeconds);
      return known.networks;
    },
  };

  function away(error: unknown): Failure {
    complain(error, 'the facilitator cannot be reached');
    return new Failure('ServiceUnavailable', retryAfterSeconds);
  }
}

function networksOf({ kinds }: SupportedResponse): ReadonlyMap<string, string | undefined> {
  const own = kinds.filter(({ x402Version, scheme }) => x402Version === 2 && scheme === 'exact');
  return new Map(own.map(({ network, extra }) => [network, typeof extra?.['feePayer'] === 'string' ? extra['feePayer'] : undefined]));
}

/** Reasons that the exact schemes give before they send anything. Excludes those behind which a transaction may stand. */
const before = /^(invalid_exact_|eip6492_)(?!.*(transaction_failed|nonce_already_used|transaction_state|event_mismatch))/;

function settlementOf({ success, transaction, errorReason = '' }: SettleResponse): Settlement {
  if (success) return { is: 'settled', transaction };
  if (transaction === '' && before.test(errorReason)) return { is: 'refused', error: paymentErrorOf(errorReason) };
  const reason = errorReason === 'settlement_pending' ? errorReason : paymentErrorOf(errorReason);
  return { is: 'unclear', reason, transaction: transaction === '' ? undefined : transaction };
}

const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function isUnsent(error: unknown): boolean {
  for (let at = error, depth = 0; depth < 5 && at instanceof Error; at = at.cause, depth += 1) {
    if (neverConnected.has(String((at as { code?: unknown }).code))) return true;
  }
  return false;
}
