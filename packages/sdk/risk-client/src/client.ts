import { actionsAnswerOf, counterpartiesAnswerOf, labelsAnswerOf, targetsAnswerOf, transfersAnswerOf } from './analyses.ts';
import { createAnswerOf, queryAnswerOf, startAnswerOf, summaryAnswerOf } from './answer.ts';
import { scoreChangesAnswerOf } from './changes.ts';
import { systemClock } from './clock.ts';
import { baseOf, call, type HttpOptions, type Reply, type Request } from './http.ts';
import { priceAnswerOf } from './prices.ts';
import { readinessAnswerOf } from './readiness.ts';
import type {
  ActionsAnswer,
  AddressOf,
  CounterpartiesAnswer,
  CreateAnswer,
  DepositTarget,
  LabelsAnswer,
  Operation,
  PriceAnswer,
  QueryAnswer,
  ReadinessAnswer,
  RiskClientOptions,
  ScoreChangesAnswer,
  StartAnswer,
  SummaryAnswer,
  Target,
  TargetsAnswer,
  TransfersAnswer,
  TransfersOf,
  Unavailable,
} from './types.ts';

/**
 * Client of the risk API: every operation of the standard API and of the sandbox.
 *
 * No method rejects. What the API says, and what it fails to say, is the `kind` of the answer; what can't be understood is `unavailable` with the
 * reason `UNREADABLE`, never a level. Nothing is repeated, and redirects are not followed: the key goes to the given address only.
 */
export class RiskClient {
  readonly #http: HttpOptions;
  readonly #onCall: RiskClientOptions['onCall'];

  /** Throws `TypeError` for an address that is not plain HTTP(S), and for a key that no header can carry; neither is in the message. */
  constructor(options: RiskClientOptions) {
    const { apiKey, keyIn, clock = systemClock, timeoutMs = 10_000, maxBytes = 1_000_000 } = options;
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('the API key is empty or has characters that no header can carry');
    this.#http = { base: baseOf(options.baseUrl), apiKey, keyIn, clock, timeoutMs, maxBytes, fetch: options.fetch ?? fetch };
    this.#onCall = options.onCall;
  }

  /** Starts computing a score, or joins what is running. Costs budget. `noCache`: asks the API for no result that it keeps. Standard API and sandbox. */
  createTask(target: Target, signal?: AbortSignal, { noCache = false }: { noCache?: boolean } = {}): Promise<CreateAnswer> {
    const headers = noCache ? { 'cache-control': 'no-cache' } : {};
    const request: Request = { method: 'POST', path: '/v3/risk_score_create_task', fields: fieldsOf(target), headers };
    return this.#ask('create_task', request, (reply) => createAnswerOf(reply, this.#http), signal);
  }

  /** The result of a task, once there is one. Costs budget in the sandbox only. Standard API and sandbox. */
  queryTask(taskId: string, signal?: AbortSignal): Promise<QueryAnswer> {
    const request: Request = { method: 'GET', path: '/v3/risk_score_query_task', fields: { task_id: taskId } };
    return this.#ask('query_task', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** The score at once, as v3 has it. Only the sandbox has this. */
  riskScore(target: DepositTarget, signal?: AbortSignal): Promise<QueryAnswer> {
    const request = get('/v3/risk_score', undirected(target));
    return this.#ask('risk_score', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** The score at once, without exposures. Costs budget, and may take as long as computing takes: give it time. Standard API. */
  riskScoreV1(target: DepositTarget, signal?: AbortSignal): Promise<SummaryAnswer> {
    const request = get('/v1/risk_score', undirected(target));
    return this.#ask('v1_risk_score', request, (reply) => summaryAnswerOf(reply, this.#http), signal);
  }

  /** The score at once. Costs budget, and may take as long as computing takes: give it time. Standard API. */
  riskScoreV2(target: DepositTarget, signal?: AbortSignal): Promise<QueryAnswer> {
    const request = get('/v2/risk_score', undirected(target));
    return this.#ask('v2_risk_score', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** Starts computing a score that `queryTaskV2` asks for by the same target. Costs budget. Standard API. */
  createTaskV2(target: DepositTarget, signal?: AbortSignal): Promise<StartAnswer> {
    const request: Request = { method: 'POST', path: '/v2/risk_score_create_task', fields: undirected(target) };
    return this.#ask('v2_create_task', request, (reply) => startAnswerOf(reply, this.#http), signal);
  }

  /** The result of what `createTaskV2` has started. Costs nothing. Standard API. */
  queryTaskV2(target: DepositTarget, signal?: AbortSignal): Promise<QueryAnswer> {
    const request = get('/v2/risk_score_query_task', undirected(target));
    return this.#ask('v2_query_task', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** Standard API. */
  addressLabels({ coin, address }: AddressOf, signal?: AbortSignal): Promise<LabelsAnswer> {
    const request = get('/v1/address_labels', { coin, address });
    return this.#ask('address_labels', request, (reply) => labelsAnswerOf(reply, this.#http), signal);
  }

  /** Whom an address dealt with, by entity. Standard API. */
  addressCounterparty({ coin, address }: AddressOf, signal?: AbortSignal): Promise<CounterpartiesAnswer> {
    const request = get('/v1/address_counterparty', { coin, address });
    return this.#ask('address_counterparty', request, (reply) => counterpartiesAnswerOf(reply, this.#http), signal);
  }

  /** What an address received from and spent on. Standard API. */
  addressAction({ coin, address }: AddressOf, signal?: AbortSignal): Promise<ActionsAnswer> {
    const request = get('/v1/address_action', { coin, address });
    return this.#ask('address_action', request, (reply) => actionsAnswerOf(reply, this.#http), signal);
  }

  /** One page of an address's transfers in one coin. Standard API. */
  transactionsInvestigation(transfers: TransfersOf, signal?: AbortSignal): Promise<TransfersAnswer> {
    const { coin, address, startTimestamp, endTimestamp, type, page } = transfers;
    const request = get('/v1/transactions_investigation', {
      coin,
      address,
      ...(startTimestamp !== undefined && { start_timestamp: String(startTimestamp) }),
      ...(endTimestamp !== undefined && { end_timestamp: String(endTimestamp) }),
      ...(type !== undefined && { type }),
      ...(page !== undefined && { page: String(page) }),
    });
    return this.#ask('transactions_investigation', request, (reply) => transfersAnswerOf(reply, this.#http), signal);
  }

  /**
   * Scores that this key has asked for and that may have changed since `after`, the `nextCursor` of an earlier answer. Without it: none, and the
   * present end. `limit`: 1 to 1,000, default 500. Costs nothing. Standard API of Weir.
   */
  scoreChanges({ after, limit }: { after?: string; limit?: number }, signal?: AbortSignal): Promise<ScoreChangesAnswer> {
    const request = get('/v1/score_changes', {
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit: String(limit) }),
    });
    return this.#ask('score_changes', request, (reply) => scoreChangesAnswerOf(reply, this.#http), signal);
  }

  /** The newest price of a coin up to a UTC day, such as `2026-01-31`; without one up to today. Costs nothing. Standard API of Weir. */
  price({ coin, day }: { coin: string; day?: string }, signal?: AbortSignal): Promise<PriceAnswer> {
    const request = get('/v1/prices', { coin, ...(day !== undefined && { day }) });
    return this.#ask('prices', request, (reply) => priceAnswerOf(reply, this.#http, coin), signal);
  }

  /** Whether the API is ready, and what it warns of. The key is not sent. Costs nothing. Weir's own. */
  readiness(signal?: AbortSignal): Promise<ReadinessAnswer> {
    const request: Request = { ...get('/readyz', {}), open: true };
    return this.#ask('readiness', request, (reply) => readinessAnswerOf(reply, this.#http), signal);
  }

  /** The targets of the sandbox. The key is not sent. */
  targets(signal?: AbortSignal): Promise<TargetsAnswer> {
    const request: Request = { ...get('/targets', {}), open: true };
    return this.#ask('sandbox_targets', request, (reply) => targetsAnswerOf(reply, this.#http), signal);
  }

  async #ask<A extends Answer>(
    operation: Operation,
    request: Request,
    read: (reply: Reply) => A,
    signal: AbortSignal | undefined,
  ): Promise<A | Unavailable> {
    const startedAt = this.#http.clock.monotonic();
    const reply = await call(this.#http, request, signal);
    const answer = 'kind' in reply ? reply : read(reply);
    this.#onCall?.({ operation, outcome: outcomeOf(answer), durationMs: this.#http.clock.monotonic() - startedAt });
    return answer;
  }
}

type Answer =
  | CreateAnswer
  | QueryAnswer
  | SummaryAnswer
  | StartAnswer
  | LabelsAnswer
  | CounterpartiesAnswer
  | ActionsAnswer
  | TransfersAnswer
  | ScoreChangesAnswer
  | PriceAnswer
  | ReadinessAnswer
  | TargetsAnswer;

function get(path: string, fields: Request['fields']): Request {
  return { method: 'GET', path, fields };
}

function fieldsOf(target: Target): Record<string, string> {
  const { direction } = target;
  return { ...undirected(target), ...(direction !== undefined && { direction }) };
}

/** For operations that know no direction. */
function undirected({ coin, address, txid }: Target): Record<string, string> {
  return { coin, ...(address !== undefined && { address }), ...(txid !== undefined && { txid }) };
}

/** For metrics: the kind, and for what has several causes, which. */
function outcomeOf(answer: Answer): string {
  if (answer.kind === 'unavailable') return `unavailable_${answer.reason.toLowerCase()}`;
  return answer.kind === 'limited' ? `limited_${answer.window}` : answer.kind;
}
