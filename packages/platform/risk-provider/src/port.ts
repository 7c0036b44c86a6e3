import type { CreateAnswer, QueryAnswer, Refusal, RiskResult, ScoreChangesAnswer, Unavailable } from '@weir/risk-client';

/** A port to one provider of risk scores. No method rejects: the `kind` of an answer states the outcome. */
export interface RiskProvider {
  /** The host of its API. Each result names it. */
  readonly name: string;
  readonly limits: ProviderLimits;
  /** The facts of the transfer that such a question needs. None: the assessment depends on the subject alone. */
  needs(question: Omit<Question, 'facts'>): readonly (keyof TransferFacts)[];
  /** Starts an assessment, or gives its result at once. Costs budget. */
  ask(question: Question, signal?: AbortSignal): Promise<AskAnswer>;
  /** Reads the result of an assessment by its `task_id`. Free. */
  follow(taskId: string, signal?: AbortSignal): Promise<QueryAnswer>;
  /** Reads a result again from the evidence of an answer. */
  explain(evidence: string): Explanation | Unavailable;
  /** Results that may have changed since `after`. `not_found`: the provider lists none. Free. */
  changes(from: { after?: string; limit?: number }, signal?: AbortSignal): Promise<ScoreChangesAnswer>;
  /** The coins that it knows. `not_found`: it does not list them. Free. */
  coins(signal?: AbortSignal): Promise<CoinsAnswer>;
}

/** Calls of `ask`. `perSecond` holds in any sliding second, `perDay` in a UTC day. */
export interface ProviderLimits {
  readonly perSecond: number;
  readonly perDay: number;
}

export interface Question {
  /** Such as `ethereum`. */
  readonly chain: string;
  /** Weir's symbol, such as `USDT-ERC20`. */
  readonly coin: string;
  readonly subject_type: 'address' | 'txid';
  readonly subject: string;
  /** The side of the transfer to assess. */
  readonly direction: 'deposit' | 'withdraw';
  /** Holds what `needs` lists, as far as the transfer has it. */
  readonly facts: TransferFacts;
}

/** Of the transfer, beside the subject. */
export interface TransferFacts {
  /** A pseudonym of the customer. */
  readonly user?: string;
  /** Names this transfer at the provider: the screening's id. */
  readonly attempt?: string;
  readonly to_address?: string;
  /** Decimal text, in the coin. */
  readonly amount?: string;
  /** Unix milliseconds. */
  readonly occurred_at?: number;
}

export type AskAnswer = CreateAnswer | Assessed;

export type Assessed = Extract<QueryAnswer, { kind: 'scored' | 'no_data' }>;

export interface Explanation {
  readonly result: RiskResult;
  /** The provider's words, and the words of Weir for them. Empty where the provider uses the words of Weir. */
  readonly mapped: readonly Mapped[];
}

export interface Mapped {
  readonly field: 'level' | 'category';
  readonly from: string;
  readonly to: string;
}

type CoinsAnswer = { readonly kind: 'coins'; readonly coins: readonly string[] } | { readonly kind: 'not_found' } | Refusal;
