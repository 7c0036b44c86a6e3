import { queryAnswerOf } from '../answer.ts';
import { systemClock } from '../clock.ts';
import type { OverviewAnswer } from '../overview.ts';
import { baseOf, call, type HttpOptions, type Reply } from '../http.ts';
import type {
  ActionsAnswer,
  AddressOf,
  CounterpartiesAnswer,
  DepositTarget,
  LabelsAnswer,
  QueryAnswer,
  Refusal,
  TransfersAnswer,
  TransfersOf,
} from '../types.ts';
import { ask, paymentOf, send } from './exchange.ts';
import { chooseOffer, notPaid, type Offer } from './offer.ts';
import { type AnswerOf, operations } from './operations.ts';
import { SpendingLimit } from './spending-limit.ts';
import { sign } from './sign.ts';
import type { Claim, Network, NotPaid, Paid, PaidAnswer, PaidOperation, PayingClientOptions, Spending, TaskAnswer } from './types.ts';
import { type TraceAnswer, traceFieldsOf, type TraceOf } from '../trace.ts';

/** Between repeats of a payment. */
const firstWaitMs = 250;
const longestWaitMs = 5_000;

/**
 * Client of the pay-per-call API. Each call signs at most one payment, under one id, and repeats it until it has an answer or patience
 * ends.
 * `resume` then asks again without paying. No method rejects.
 */
export class PayingClient {
  readonly #options: PayingClientOptions;
  readonly #http: HttpOptions;
  readonly #spendingLimit: SpendingLimit;
  readonly #receivers: Map<string, string>;

  /** Throws `TypeError` for an address that is not plain HTTP(S), for invalid caps, and without a wallet. */
  constructor(options: PayingClientOptions) {
    const { clock = systemClock, timeoutMs = 35_000, maxBytes = 1_000_000, spendingCapMicroUsdc: cap, callCapMicroUsdc: callCap } = options;
    if (typeof cap !== 'bigint' || cap < 0n || (callCap !== undefined && (typeof callCap !== 'bigint' || callCap < 0n)))
      throw new TypeError('spending caps are whole micro-USDC, as bigint');
    if (options.wallets.evm === undefined && options.wallets.solana === undefined) throw new TypeError('there is no wallet to pay with');
    const base = baseOf(options.baseUrl);
    this.#options = options;
    this.#http = { base, apiKey: '', keyIn: 'header', clock, timeoutMs, maxBytes, fetch: options.fetch ?? fetch };
    this.#spendingLimit = new SpendingLimit(cap, () => clock.now());
    this.#receivers = new Map(Object.entries(options.receivers ?? {}));
  }

  /** 0.1 USDC. */
  addressLabels({ coin, address }: AddressOf, signal?: AbortSignal): Promise<Paid<LabelsAnswer>> {
    return this.#call('address_labels', { coin, address }, signal);
  }

  /** Balance and sums. 0.5 USDC. */
  addressOverview({ coin, address }: AddressOf, signal?: AbortSignal): Promise<Paid<OverviewAnswer>> {
    return this.#call('address_overview', { coin, address }, signal);
  }

  /** Returns the score in one call. 1 USDC. */
  riskScore(target: DepositTarget, signal?: AbortSignal): Promise<Paid<QueryAnswer>> {
    return this.#call('risk_score', targetOf(target), signal);
  }

  /** Starts a computation; `queryTask` reads it. A transaction needs one of its addresses. 1 USDC. */
  createTask(target: AddressOf & { readonly txid?: string }, signal?: AbortSignal): Promise<Paid<TaskAnswer>> {
    return this.#call('risk_score_create_task', targetOf(target), signal);
  }

  /** Reads the result of `createTask` by its `location`. Free. */
  async queryTask(location: string, signal?: AbortSignal): Promise<QueryAnswer> {
    const prefix = this.#http.base.pathname.replace(/\/+$/, '');
    const path = location.startsWith(`${prefix}/`) ? location.slice(prefix.length) : location;
    const reply = await call(this.#http, { method: 'GET', path, fields: {}, open: true }, signal);
    return 'kind' in reply ? reply : queryAnswerOf(reply, this.#http);
  }

  /** One page of an address's transfers in one coin. 1 USDC. */
  transactionsInvestigation({ coin, address, ...rest }: TransfersOf, signal?: AbortSignal): Promise<Paid<TransfersAnswer>> {
    const { startTimestamp, endTimestamp, type, page } = rest;
    const given = { start_timestamp: startTimestamp, end_timestamp: endTimestamp, type, page };
    const fields = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
    return this.#call('transactions_investigation', { coin, address, ...Object.fromEntries(fields) }, signal);
  }

  /** Sources of an address's income and uses of its spending. 0.5 USDC. */
  addressAction({ coin, address }: AddressOf, signal?: AbortSignal): Promise<Paid<ActionsAnswer>> {
    return this.#call('address_action', { coin, address }, signal);
  }

  /** An address's first funder, platforms, events and relations, and where its money went or came from. 0.5 USDC. */
  addressTrace(asked: TraceOf, signal?: AbortSignal): Promise<Paid<TraceAnswer>> {
    return this.#call('address_trace', traceFieldsOf(asked), signal);
  }

  /** The counterparties of an address, by entity. 0.5 USDC. */
  addressCounterparty({ coin, address }: AddressOf, signal?: AbortSignal): Promise<Paid<CounterpartiesAnswer>> {
    return this.#call('address_counterparty', { coin, address }, signal);
  }

  /** Repeats a payment of this or another process to get its answer. Pays nothing more. */
  async resume(claim: Claim, signal?: AbortSignal): Promise<Paid<PaidAnswer>> {
    this.#spendingLimit.adopt(claim);
    const paid = await this.#collect(claim, signal);
    const { answer, payment } = paid;
    const isRefused = answer.kind === 'not_paid' && answer.code === 'REFUSED' && payment?.state === 'not_charged';
    return isRefused && this.#spendingLimit.isExpired(claim) ? { answer: notPaid('EXPIRED_UNUSED', answer.detail, true), payment } : paid;
  }

  spending(): Spending {
    return this.#spendingLimit.spending();
  }

  async #call<Name extends PaidOperation>(
    operation: Name,
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Paid<AnswerOf<Name>>> {
    const reply = await ask(this.#http, operation, fields, signal);
    if ('kind' in reply) return { answer: reply, payment: null };
    if (reply.status !== 402) return { answer: this.#unasked(operation, reply), payment: null };
    const offer = chooseOffer(reply.headers.get('payment-required'), this.#options.wallets);
    if ('kind' in offer) return { answer: offer, payment: null };
    const claim = await this.#signed(operation, fields, offer);
    if ('kind' in claim) return { answer: claim, payment: null };
    return (await this.#collect(claim, signal)) as Paid<AnswerOf<Name>>;
  }

  /** A refusal before any payment, or a free answer. */
  #unasked<Name extends PaidOperation>(operation: Name, reply: Reply): AnswerOf<Name> | Refusal {
    return operations[operation].read(reply, this.#http, this.#http.base) as AnswerOf<Name>;
  }

  /** Checks and reserves the cap without an await in between. */
  async #signed(operation: PaidOperation, fields: Readonly<Record<string, string>>, offer: Offer): Promise<Claim | NotPaid> {
    const { network, payTo, amount } = offer.requirement;
    const price = BigInt(amount);
    const refusal = this.#refusalOf(operation, network, payTo, price);
    if (refusal !== undefined) return refusal;
    const paymentId = this.#options.newId?.() ?? `pay_${crypto.randomUUID().replaceAll('-', '')}`;
    if (!this.#spendingLimit.reserve(paymentId, price)) return notPaid('CAP_OF_ALL', `${amount} micro-USDC are more than is left`, true);
    this.#receivers.set(network, payTo);
    try {
      const nowMs = this.#http.clock.now();
      const claim = await sign(offer, this.#options.wallets, { paymentId, operation, fields, nowMs });
      await this.#options.onSigned?.(claim);
      return claim;
    } catch {
      this.#spendingLimit.release(paymentId);
      return notPaid('NOT_SIGNED', 'the wallet, its node or onSigned failed', true);
    }
  }

  #refusalOf(operation: PaidOperation, network: Network, payTo: string, price: bigint): NotPaid | undefined {
    const known = this.#receivers.get(network);
    if (known !== undefined && !isSameAddress(network, known, payTo)) return notPaid('RECEIVER_CHANGED', 'somebody else is to be paid');
    const most = this.#options.callCapMicroUsdc ?? operations[operation].price;
    if (price > most) return notPaid('CAP_OF_CALL', `${price} micro-USDC are more than the ${most} of a call`);
    return undefined;
  }

  /** Repeats the payment until there is an answer, or patience ends. */
  async #collect(claim: Claim, signal: AbortSignal | undefined): Promise<Paid<PaidAnswer>> {
    const { clock } = this.#http;
    const end = clock.monotonic() + (this.#options.patienceMs ?? 60_000);
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      const outcome = await send(this.#http, claim, signal);
      if (outcome.kind === 'answered') return this.#answered(claim, outcome.reply, outcome.transaction);
      if (outcome.kind === 'refused') {
        if (outcome.isSpent === true) this.#spendingLimit.settle(claim);
        else this.#spendingLimit.refused(claim);
        return { answer: outcome.answer, payment: paymentOf(claim, outcome.isSpent === true ? 'settled' : 'not_charged') };
      }
      const pauseMs = Math.max(waitMs, outcome.afterMs);
      if (signal?.aborted || clock.monotonic() + pauseMs > end)
        return { answer: notPaid('OUTCOME_UNKNOWN', outcome.detail, true), payment: paymentOf(claim, 'unknown') };
      await clock.sleep(pauseMs, signal);
    }
  }

  #answered(claim: Claim, reply: Reply, transaction: string | null): Paid<PaidAnswer> {
    const answer = operations[claim.operation].read(reply, { ...this.#http, apiKey: claim.signature }, this.#http.base);
    this.#spendingLimit.settle(claim);
    return { answer, payment: paymentOf(claim, 'settled', transaction) };
  }
}

/** EVM addresses ignore case. */
function isSameAddress(network: Network, one: string, other: string): boolean {
  return network.startsWith('eip155:') ? one.toLowerCase() === other.toLowerCase() : one === other;
}

function targetOf({ coin, address, txid }: { coin: string; address?: string; txid?: string }): Record<string, string> {
  return { coin, ...(address !== undefined && { address }), ...(txid !== undefined && { txid }) };
}
