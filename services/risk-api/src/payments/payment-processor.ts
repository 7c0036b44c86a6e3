import type { Clock } from '@weir/clock';
import type { SettleResponse } from '@x402/core/types';
import { Failure } from '../failure.ts';
import { type PaymentError, paymentErrors } from './verification.ts';
import type { Facilitator } from './facilitator.ts';
import type { Ledger, StoredPayment } from './ledger.ts';
import type { PaymentMetrics } from './metrics.ts';
import type { Payment } from './payment.ts';
import { type Produced, receiptOf, type SettlementResult, type Settlements } from './settlements.ts';
import type { Sender, UnprovenPayments } from './unproven.ts';

export interface PaidRequest {
  /** Its name. */
  readonly operation: string;
  readonly client: string;
  readonly resource: string;
  readonly digest: Buffer;
  /** Validates the parameters; fails with a `Failure` that costs nothing. Returns the work. */
  readonly prepare: () => () => Promise<Produced>;
  /** Aborted: the caller has disconnected. */
  readonly signal: AbortSignal;
}

export type Outcome =
  | { readonly is: 'paid'; readonly body: string; readonly taskId: string | null; readonly receipt: SettleResponse }
  | { readonly is: 'required'; readonly error: PaymentError; readonly receipt?: SettleResponse };

export interface PaymentProcessorOptions {
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  readonly settlements: Settlements;
  readonly unproven: UnprovenPayments;
  readonly clock: Clock;
  readonly metrics: PaymentMetrics;
  readonly newId: () => string;
  readonly waitMs: number;
}

const mostInHand = 200;
/** Shortest time between attempts to settle the same payment, however often its client repeats it. */
const pauseMs = 1_000;
const lookEveryMs = { first: 20, most: 500 };

/**
 * One authorization, one run, one charge, one answer. The ledger stores each step before the next, so a repeated payment continues there.
 */
export class PaymentProcessor {
  readonly #parts: PaymentProcessorOptions;
  #inHand = 0;

  constructor(parts: PaymentProcessorOptions) {
    this.#parts = parts;
  }

  /** Fails with a `Failure`: of the call, which is not charged, or of a payment whose outcome is unknown. */
  async take(request: PaidRequest, payment: Payment): Promise<Outcome> {
    const leave = this.#parts.unproven.enter(await this.#senderOf(request, payment));
    try {
      return await this.#take(request, payment, leave);
    } finally {
      leave();
    }
  }

  /** Anybody can name a payer who has settled; only that payer can sign. */
  async #senderOf({ client }: PaidRequest, payment: Payment): Promise<Sender> {
    const hasSettled = payment.proven && (await this.#parts.ledger.hasSettled(payment));
    return hasSettled ? { kind: 'settled', payer: payment.payer } : { kind: 'newcomer', client, isSigned: payment.proven };
  }

  async #take(request: PaidRequest, payment: Payment, leave: () => void): Promise<Outcome> {
    const { ledger, clock, newId, waitMs } = this.#parts;
    const holder = newId();
    const start = clock.monotonic();
    let verified = false;
    for (let pause = lookEveryMs.first; ; pause = Math.min(pause * 1.5, lookEveryMs.most)) {
      const row = await ledger.find(payment, payment.proven || verified);
      if (row === undefined) {
        if (!verified) {
          const error = payment.fault ?? (await this.#verify(payment));
          // Another call may have settled this payment meanwhile, which causes the refusal.
          if (error !== undefined && (await ledger.find(payment, payment.proven)) === undefined) return { is: 'required', error };
          if (error !== undefined) continue;
          verified = true;
        }
        const outcome = await this.#inHandOnly(() => this.#claim(request, payment, holder, leave));
        if (outcome !== undefined) return outcome;
        continue;
      }
      requireSame(row, payment, request.digest);
      if (isSpent(row, payment, request.digest)) return { is: 'required', error: 'authorization_used' };
      if (row.state === 'settled' || row.state === 'refused') return outcomeOf(row);
      const outcome = row.held ? undefined : await this.#inHandOnly(() => this.#goOn(row, request, holder, leave));
      if (outcome !== undefined) return outcome;
      if (row.state === 'unknown' && !row.held) throw new Failure('SettlementPending', 1);
      if (clock.monotonic() - start > waitMs || request.signal.aborted) throw new Failure('PaymentInProgress', 1);
      await clock.sleep(pause, request.signal);
    }
  }

  async #verify({ network, payload, requirements, payer }: Payment): Promise<PaymentError | undefined> {
    const { facilitator, metrics } = this.#parts;
    if (!(await facilitator.networks()).has(network)) return 'invalid_network';
    return metrics.timed('verify', () => facilitator.verify(payload, requirements, payer));
  }

  async #claim(request: PaidRequest, payment: Payment, holder: string, leave: () => void): Promise<Outcome | undefined> {
    // Invalid parameters fail before there is a row.
    request.prepare();
    const { operation, resource, digest } = request;
    const row = await this.#parts.ledger.claim(this.#parts.newId(), holder, payment, { operation, resource, digest });
    if (row === undefined) return undefined;
    leave();
    return this.#run(row, request, holder);
  }

  /** Undefined: another call owns it, or did a moment ago. */
  async #goOn({ id }: StoredPayment, request: PaidRequest, holder: string, leave: () => void): Promise<Outcome | undefined> {
    const taken = await this.#parts.ledger.take(id, holder, pauseMs);
    if (taken === undefined) return undefined;
    leave();
    if (taken.state === 'claimed') return this.#run(taken, request, holder);
    return outcomeOrPending(await this.#parts.settlements.again(taken, holder));
  }

  /** A proven call takes its own place before it leaves the unproven pool. */
  async #inHandOnly<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inHand >= mostInHand) throw new Failure('ServiceUnavailable', 1);
    this.#inHand += 1;
    try {
      return await work();
    } finally {
      this.#inHand -= 1;
    }
  }

  async #run(row: StoredPayment, { prepare, signal }: PaidRequest, holder: string): Promise<Outcome> {
    const { settlements, metrics } = this.#parts;
    const settlementResult = await settlements.first(row, holder, async () => {
      const produced = await metrics.timed('run', () => prepare()());
      // The caller has disconnected, so nothing is charged.
      if (signal.aborted) throw new Failure('ServiceUnavailable');
      return produced;
    });
    return outcomeOrPending(settlementResult);
  }
}

/** Fails with `PaymentConflict` when the identifier belongs to another request. */
function requireSame(row: StoredPayment, { identifier }: Payment, digest: Buffer): void {
  if (identifier !== undefined && row.payment_identifier === identifier && !row.request_sha256.equals(digest))
    throw new Failure('PaymentConflict');
}

/** Whether the authorization paid for another request, or differs from the one that was used. */
function isSpent(row: StoredPayment, payment: Payment, digest: Buffer): boolean {
  const isOther =
    row.network === payment.network && row.authorization_key === payment.key && !row.signed_sha256.equals(payment.signedSha256);
  return isOther || !row.request_sha256.equals(digest);
}

function outcomeOrPending(settlementResult: SettlementResult): Outcome {
  if (settlementResult === 'pending') throw new Failure('SettlementPending', 2);
  return outcomeOf(settlementResult);
}

function outcomeOf(row: Pick<StoredPayment, 'state' | 'reason' | 'network' | 'payer' | 'transaction' | 'answer' | 'task_id'>): Outcome {
  const receipt = receiptOf(row);
  const known = paymentErrors.find((code) => code === row.reason);
  if (row.state !== 'settled') return { is: 'required', error: known ?? 'payment_refused', receipt };
  // Its retention has ended.
  if (row.answer === null) return { is: 'required', error: 'authorization_used' };
  return { is: 'paid', body: row.answer, taskId: row.task_id, receipt };
}
