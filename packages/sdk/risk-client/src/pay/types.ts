import type { OverviewAnswer } from '../overview.ts';
import type { TraceAnswer } from '../trace.ts';
import type {
  ActionsAnswer,
  Clock,
  CounterpartiesAnswer,
  Fetch,
  LabelsAnswer,
  QueryAnswer,
  Refusal,
  StartAnswer,
  TransfersAnswer,
} from '../types.ts';

/** CAIP-2 ids of the payment networks, Base and Solana mainnet. Payments are in USDC. */
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

/** Signers: viem accounts for Base, @solana/kit signers for Solana. One is enough; Base has precedence. */
export interface Wallets {
  readonly evm?: EvmSigner;
  readonly solana?: {
    /** A `TransactionSigner` of @solana/kit. */
    readonly signer: object;
    /** A node's JSON-RPC, for the newest blockhash. Default: the public one. */
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
  /** The cap of all calls of this client, in micro-USDC (1 USDC is 1,000,000). Possible charges count. */
  readonly spendingCapMicroUsdc: bigint;
  /** The cap of one call. Default: the price in the specification, 1 USDC at most. */
  readonly callCapMicroUsdc?: bigint;
  /** The allowed receivers. Default: the receiver of the first offer on a network, from then on no other. */
  readonly receivers?: Partial<Readonly<Record<Network, string>>>;
  /**
   * Awaited between signing and sending. Store the claim to `resume` after a crash and pay once.
   * If it rejects, nothing is sent.
   */
  readonly onSigned?: (claim: Claim) => Promise<void>;
  readonly clock?: Clock;
  /** For each request, its body included. Default 35,000: a score may take 30 s. */
  readonly timeoutMs?: number;
  /** How long one call repeats a lost payment. Default 60,000. */
  readonly patienceMs?: number;
  readonly maxBytes?: number;
  readonly fetch?: Fetch;
  /** Payment ids of 16 to 128 letters, digits, `-` and `_`. Default: random. */
  readonly newId?: () => string;
}

/** A signed payment and its request, as plain JSON. It pays only `payTo` and only the price, but keep it private. */
export interface Claim {
  readonly paymentId: string;
  readonly operation: PaidOperation;
  readonly fields: Readonly<Record<string, string>>;
  readonly network: Network;
  readonly payTo: string;
  /** Micro-USDC, a whole number. */
  readonly amount: string;
  /** Unix milliseconds; no chain accepts it afterwards. */
  readonly validUntilMs: number;
  /** The value of `PAYMENT-SIGNATURE`. */
  readonly signature: string;
}

export interface Payment {
  readonly claim: Claim;
  /** `not_charged` is the API's claim; the cap counts the amount until it expires. */
  readonly state: 'settled' | 'not_charged' | 'unknown';
  /** The chain's transaction, if the API names it. */
  readonly transaction: string | null;
}

/** `payment` is null when nothing was signed. */
export interface Paid<Answer> {
  readonly answer: Answer | NotPaid | Refusal;
  readonly payment: Payment | null;
}

export interface NotPaid {
  readonly kind: 'not_paid';
  readonly code: NotPaidCode;
  /** Retry with `resume` after OUTCOME_UNKNOWN, with the call itself otherwise. */
  readonly retriable: boolean;
  /** The code of the API or facilitator, else fixed words; never their text. */
  readonly detail: string;
}

export type NotPaidCode =
  /** The 402 cannot be parsed. */
  | 'OFFER_UNREADABLE'
  /** No offer in USDC with a payment id on a wallet's network. */
  | 'OFFER_UNSUPPORTED'
  /** The offer names another receiver than configured or before. */
  | 'RECEIVER_CHANGED'
  /** Above the cap of one call. */
  | 'CAP_OF_CALL'
  /** Above the rest of the total cap. Retriable: uncharged amounts return when they expire. */
  | 'CAP_OF_ALL'
  /** The wallet, its node, or `onSigned` failed. Nothing was sent. */
  | 'NOT_SIGNED'
  /** The API rejects the payment: no balance, expired, … */
  | 'REFUSED'
  /** The id was used for another request. */
  | 'ID_CONFLICT'
  /** The payment was sent and no answer came. `resume(payment.claim)` asks again and pays nothing more. */
  | 'OUTCOME_UNKNOWN'
  /** From `resume`: the payment expired unused. Call again. */
  | 'EXPIRED_UNUSED';

/** In micro-USDC, possible charges included. */
export interface Spending {
  readonly settled: bigint;
  /** Signed, and neither settled nor expired. */
  readonly open: bigint;
  readonly left: bigint;
}

/** `location` is the free polling path; null when the answer has none. */
export type TaskAnswer = (Exclude<StartAnswer, Refusal> & { readonly location: string | null }) | Refusal;

export type PaidAnswer =
  | LabelsAnswer
  | OverviewAnswer
  | QueryAnswer
  | TaskAnswer
  | TransfersAnswer
  | ActionsAnswer
  | TraceAnswer
  | CounterpartiesAnswer;
