import type { Clock } from '@weir/clock';
import type { FacilitatorClient } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types';
import { Failure } from '../failure.ts';
import { evmNetwork } from './networks.ts';
import { SupportedNetworks } from './supported-networks.ts';
import { type PaymentError, paymentErrorOf } from './verification.ts';

export type Settlement =
  | { readonly is: 'settled'; readonly transaction: string }
  /** Checked and never sent: nothing is charged. */
  | { readonly is: 'refused'; readonly error: PaymentError }
  /** The facilitator never received it. */
  | { readonly is: 'unsent' }
  /** The charge is uncertain. `reason` is a code of this API. */
  | { readonly is: 'unclear'; readonly reason: string; readonly transaction: string | undefined };

/** Two clients, because verification and settlement have different time limits. */
export interface Clients {
  readonly verify: Pick<FacilitatorClient, 'verify' | 'getSupported'>;
  readonly settle: Pick<FacilitatorClient, 'settle'>;
}

type Complain = (error: unknown, what: string) => void;

const retryAfterSeconds = 5;
/** On Solana the payer signs a transaction that names the facilitator's fee payer. */
const withoutFeePayer: ReadonlyMap<string, string | undefined> = new Map([[evmNetwork, undefined]]);

export class Facilitator {
  readonly #clients: Clients;
  readonly #supported: SupportedNetworks;
  readonly #complain: Complain;

  constructor(clients: Clients, { clock, verifyMs, complain }: { clock: Clock; verifyMs: number; complain: Complain }) {
    this.#clients = clients;
    this.#supported = new SupportedNetworks(clients.verify, { clock, limitMs: verifyMs, complain });
    this.#complain = complain;
  }

  /** Undefined: valid. Fails with `ServiceUnavailable` without an answer in time. */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements, payer: string): Promise<PaymentError | undefined> {
    let answer: VerifyResponse;
    try {
      answer = await this.#clients.verify.verify(payload, requirements);
    } catch (error) {
      const { statusCode, invalidReason } = error as { statusCode?: number; invalidReason?: string };
      if (statusCode === undefined || statusCode >= 500) throw this.#away(error);
      answer = { isValid: false, ...(invalidReason === undefined ? {} : { invalidReason }) };
    }
    if (!answer.isValid) {
      if (answer.invalidReason?.startsWith('unexpected')) throw this.#away(new Error('the facilitator could not verify'));
      return paymentErrorOf(answer.invalidReason);
    }
    return answer.payer === undefined || answer.payer.toLowerCase() === payer.toLowerCase() ? undefined : 'invalid_payload';
  }

  /** Never fails: every error is an outcome. */
  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    try {
      return settlementOf(await this.#clients.settle.settle(payload, requirements));
    } catch (error) {
      const { statusCode, errorReason, transaction } = error as Partial<SettleResponse> & { statusCode?: number };
      if (statusCode !== undefined && statusCode < 500)
        return settlementOf({
          success: false,
          errorReason: errorReason ?? '',
          transaction: transaction ?? '',
          network: requirements.network,
        });
      this.#complain(error, 'no answer to a settlement');
      return isUnsent(error) ? { is: 'unsent' } : { is: 'unclear', reason: 'no_answer', transaction: undefined };
    }
  }

  /** The networks on which it settles, each with its fee payer where known. Fails with `ServiceUnavailable` while they are unknown. */
  async networks(): Promise<ReadonlyMap<string, string | undefined>> {
    const networks = await this.#supported.networks();
    if (networks === undefined) throw new Failure('ServiceUnavailable', retryAfterSeconds);
    return networks;
  }

  /** As `networks`. While they are unknown, those on which a payment needs nothing of the facilitator. */
  async offeredNetworks(): Promise<ReadonlyMap<string, string | undefined>> {
    return (await this.#supported.networks()) ?? withoutFeePayer;
  }

  #away(error: unknown): Failure {
    this.#complain(error, 'the facilitator cannot be reached');
    return new Failure('ServiceUnavailable', retryAfterSeconds);
  }
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
