import type {
  ActionsAnswer,
  Clock,
  CounterpartiesAnswer,
  LabelsAnswer,
  QueryAnswer,
  Refusal,
  StartAnswer,
  TransfersAnswer,
} from '../types.ts';

/** Networks that are paid on, as CAIP-2 names them: Base and Solana's mainnet. Paid is USDC, nothing else. */
export type Network = 'eip155:8453' | 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export type PaidOperation =
  | 'address_labels'
  | 'address_overview'
  | 'risk_score'
  | 'risk_score_create_task'
  | 'transactions_investigation'
  | 'address_action'
  | 'address_trace'
  | 'address_counterparty';

/** What signs: on Base viem's accounts do, on Solana the signers of @solana/kit. One is enough; where both can pay, Base is taken. */
export interface Wallets {
  readonly evm?: EvmSigner;
  readonly solana?: {
    /** A `TransactionSigner` of @solana/kit. */
    readonly signer: object;
    /** A node's JSON-RPC, which says what the newest block is. Default: the public one. */
    readonly rpcUrl?: string;
  };
}

export interface EvmSigner {
  readonly address: `0x${string}`;
  signTypedData(message: {
    domain: Record<string, unknown>;
    types: Record<string, unknown>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<`0x${string}`>;
}

export interface PayingClientOptions {
  /** Without `/x402`. */
  readonly baseUrl: string;
  readonly wallets: Wallets;
  /** The most that all calls of this client together may spend, in micro-USDC (1 USDC is 1,000,000). What may have been spent counts. */
  readonly spendingCapMicroUsdc: bigint;
  /** The most that one call may spend. Default: the price in the specification, 1 USDC at most. */
  readonly callCapMicroUsdc?: bigint;
  /** Who is paid. Default: whoever the first offer on a network names; from then on nobody else. */
  readonly receivers?: Partial<Readonly<Record<Network, string>>>;
  /**
   * Awaited after signing and before anything is sent. Who stores the claim can ask for the answer after a crash with `resume`, and pays once.
   * When it rejects nothing is sent.
   */
  readonly onSigned?: (claim: Claim) => Promise<void>;
  readonly clock?: Clock;
  /** For each request, its body included. Default 35,000: a score is waited for up to 30 s. */
  readonly timeoutMs?: number;
  /** How long one call asks for its answer again when that gets lost. Default 60,000. */
  readonly patienceMs?: number;
  readonly maxBytes?: number;
  readonly fetch?: typeof fetch;
  /** For payment ids; 16 to 128 letters, digits, `-` and `_`. Default: random. */
  readonly newId?: () => string;
}

/** A payment that is signed, and what it is for; plain JSON. It pays nobody but `payTo`, and nothing but the price; keep it private all the same. */
export interface Claim {
  readonly paymentId: string;
  readonly operation: PaidOperation;
  readonly fields: Readonly<Record<string, string>>;
  readonly network: Network;
  readonly payTo: string;
  /** Micro-USDC, a whole number. */
  readonly amount: string;
  /** Unix milliseconds after which no chain takes it any more. */
  readonly validUntilMs: number;
  /** The value of `PAYMENT-SIGNATURE`. */
  readonly signature: string;
}

export interface Payment {
  readonly claim: Claim;
  /** `not_charged` is the API's word; the cap counts the amount until nobody can charge it any more. */
  readonly state: 'settled' | 'not_charged' | 'unknown';
  /** On the chain, where the API says it. */
  readonly transaction: string | null;
}

/** What came of a call. `payment` is null as long as nothing was signed. */
export interface Paid<Answer> {
  readonly answer: Answer | NotPaid | Refusal;
  readonly payment: Payment | null;
}

export interface NotPaid {
  readonly kind: 'not_paid';
  readonly code: NotPaidCode;
  /** Whether asking again can help: `resume` for OUTCOME_UNKNOWN, the call again for the others. */
  readonly retriable: boolean;
  /** The API's or the facilitator's own code, where there is one; else words of ours. Never text of theirs. */
  readonly detail: string;
}

export type NotPaidCode =
  /** The 402 makes no sense. */
  | 'OFFER_UNREADABLE'
  /** No offer in USDC with a payment id on a network that there is a wallet for. */
  | 'OFFER_UNSUPPORTED'
  /** Somebody else is to be paid than was given, or than before. */
  | 'RECEIVER_CHANGED'
  /** More than one call may spend. */
  | 'CAP_OF_CALL'
  /** More than is left for all. Retriable: what was not charged comes back when it has expired. */
  | 'CAP_OF_ALL'
  /** The wallet, its node, or `onSigned` failed. Nothing was sent. */
  | 'NOT_SIGNED'
  /** The API does not take the payment: no balance, expired, … */
  | 'REFUSED'
  /** The id was used for another question. */
  | 'ID_CONFLICT'
  /** The payment was sent and no answer came. `resume(payment.claim)` asks again and pays nothing more. */
  | 'OUTCOME_UNKNOWN'
  /** By `resume`: it was not used, and cannot be any more. The question can be asked anew. */
  | 'EXPIRED_UNUSED';

/** What was spent, and what may have been. In micro-USDC. */
export interface Spending {
  readonly settled: bigint;
  /** Signed, and neither settled nor expired. */
  readonly open: bigint;
  readonly left: bigint;
}

/** `location` is where the result is polled free of charge; null: the answer does not say. */
export type TaskAnswer = (Exclude<StartAnswer, Refusal> & { readonly location: string | null }) | Refusal;

export interface AddressOverview {
  /** In the chain's native coin, as the other amounts; below zero where incoming transfers are not known. */
  readonly balance: number;
  readonly totalReceived: number;
  readonly totalSpent: number;
  readonly transfers: number;
  readonly receivedTransfers: number;
  readonly spentTransfers: number;
  /** Unix seconds; null: never. */
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
}

/** `count` may be more than there are `names`. */
export interface Named {
  readonly count: number;
  readonly names: readonly string[];
}

export interface AddressTrace {
  /** Who funded it first: a label, or an address; empty: not known. */
  readonly firstFunder: string;
  readonly platforms: Readonly<Record<'exchange' | 'dex' | 'mixer' | 'nft', Named>>;
  readonly events: Readonly<Record<'phishing' | 'ransom' | 'stealing' | 'laundering', Named>>;
  readonly relations: Readonly<Record<'wallet' | 'ens' | 'twitter', Named>>;
}

export type OverviewAnswer = { readonly kind: 'overview'; readonly overview: AddressOverview } | Refusal;
export type TraceAnswer = { readonly kind: 'trace'; readonly trace: AddressTrace } | Refusal;

export type PaidAnswer =
  | LabelsAnswer
  | OverviewAnswer
  | QueryAnswer
  | TaskAnswer
  | TransfersAnswer
  | ActionsAnswer
  | TraceAnswer
  | CounterpartiesAnswer;
