import { actionsAnswerOf, counterpartiesAnswerOf, labelsAnswerOf, targetsAnswerOf, transfersAnswerOf } from './analyses.ts';
import { createAnswerOf, queryAnswerOf, startAnswerOf, summaryAnswerOf } from './answer.ts';
import { scoreChangesAnswerOf } from './changes.ts';
import { systemClock } from './clock.ts';
import { baseOf, call, type HttpOptions, type Reply, type Request } from './http.ts';
import { type OverviewAnswer, overviewAnswerOf, type StatusAnswer, statusAnswerOf } from './overview.ts';
import { priceAnswerOf } from './prices.ts';
import { readinessAnswerOf } from './readiness.ts';
import { type NamedReport, type ReportAnswer, reportAnswerOf, scoredReport } from './report.ts';
import { type TraceAnswer, traceAnswerOf, traceFieldsOf, type TraceOf } from './trace.ts';
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
 * No method rejects. The `kind` of the answer states the outcome. An unreadable answer is `unavailable` with the reason
 * `UNREADABLE`, never a level. The client repeats no request and follows no redirect, so the key goes to `baseUrl` only.
 */
export class RiskClient {
  readonly #http: HttpOptions;
  readonly #onCall: RiskClientOptions['onCall'];

  /** Throws `TypeError` for an address that is not plain HTTP(S), or a key that no header can carry. The message contains neither. */
  constructor(options: RiskClientOptions) {
    const { apiKey, keyIn, clock = systemClock, timeoutMs = 10_000, maxBytes = 1_000_000 } = options;
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('the API key is empty or has characters that no header can carry');
    this.#http = { base: baseOf(options.baseUrl), apiKey, keyIn, clock, timeoutMs, maxBytes, fetch: options.fetch ?? fetch };
    this.#onCall = options.onCall;
  }

  /** Starts or joins a computation; `noCache` asks for a new one. Costs budget. Standard API and sandbox. */
  createTask(target: Target, signal?: AbortSignal, { noCache = false }: { noCache?: boolean } = {}): Promise<CreateAnswer> {
    const headers = noCache ? { 'cache-control': 'no-cache' } : {};
    const request: Request = { method: 'POST', path: '/v3/risk_score_create_task', fields: fieldsOf(target), headers };
    return this.#ask('create_task', request, (reply) => createAnswerOf(reply, this.#http), signal);
  }

  /** Reads a task's result. Costs budget in the sandbox only. Standard API and sandbox. */
  queryTask(taskId: string, signal?: AbortSignal): Promise<QueryAnswer> {
    const request: Request = { method: 'GET', path: '/v3/risk_score_query_task', fields: { task_id: taskId } };
    return this.#ask('query_task', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** Returns the v3 score in one call. Costs budget; set a timeout for a whole computation. Sandbox, and standard API of Weir. */
  riskScore(target: DepositTarget, signal?: AbortSignal): Promise<QueryAnswer> {
    const request = get('/v3/risk_score', undirected(target));
    return this.#ask('risk_score', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** Returns the score without exposures in one call. Costs budget; set a timeout for a whole computation. Standard API. */
  riskScoreV1(target: DepositTarget, signal?: AbortSignal): Promise<SummaryAnswer> {
    const request = get('/v1/risk_score', undirected(target));
    return this.#ask('v1_risk_score', request, (reply) => summaryAnswerOf(reply, this.#http), signal);
  }

  /** Returns the score in one call. Costs budget; set a timeout for a whole computation. Standard API. */
  riskScoreV2(target: DepositTarget, signal?: AbortSignal): Promise<QueryAnswer> {
    const request = get('/v2/risk_score', undirected(target));
    return this.#ask('v2_risk_score', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** Starts a computation; `queryTaskV2` reads it by the same target. Costs budget. Standard API. */
  createTaskV2(target: DepositTarget, signal?: AbortSignal): Promise<StartAnswer> {
    const request: Request = { method: 'POST', path: '/v2/risk_score_create_task', fields: undirected(target) };
    return this.#ask('v2_create_task', request, (reply) => startAnswerOf(reply, this.#http), signal);
  }

  /** Reads the result of `createTaskV2`. Free. Standard API. */
  queryTaskV2(target: DepositTarget, signal?: AbortSignal): Promise<QueryAnswer> {
    const request = get('/v2/risk_score_query_task', undirected(target));
    return this.#ask('v2_query_task', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /**
   * The report of an address as a PDF: its score in one call, then the report. Costs budget as a score; give it 30 seconds. Standard API of
   * Weir. `rejected` with the status 404: the API makes none.
   */
  async riskReport({ coin, address }: AddressOf, signal?: AbortSignal): Promise<ReportAnswer> {
    const asked = await this.#ask(
      'risk_report',
      get('/v3/risk_score', { coin, address }),
      (reply) => scoredReport(reply, this.#http),
      signal,
    );
    if (asked.kind !== 'named') return asked;
    return this.#ask('risk_report', asked.request, (reply) => reportAnswerOf(reply, this.#http), signal);
  }

  /** Standard API. */
  addressLabels({ coin, address }: AddressOf, signal?: AbortSignal): Promise<LabelsAnswer> {
    const request = get('/v1/address_labels', { coin, address });
    return this.#ask('address_labels', request, (reply) => labelsAnswerOf(reply, this.#http), signal);
  }

  /** The counterparties of an address, by entity. Standard API. */
  addressCounterparty({ coin, address }: AddressOf, signal?: AbortSignal): Promise<CounterpartiesAnswer> {
    const request = get('/v1/address_counterparty', { coin, address });
    return this.#ask('address_counterparty', request, (reply) => counterpartiesAnswerOf(reply, this.#http), signal);
  }

  /** Sources of an address's income and uses of its spending. Standard API. */
  addressAction({ coin, address }: AddressOf, signal?: AbortSignal): Promise<ActionsAnswer> {
    const request = get('/v1/address_action', { coin, address });
    return this.#ask('address_action', request, (reply) => actionsAnswerOf(reply, this.#http), signal);
  }

  /** Balance and statistics of an address, in the chain's native coin. Standard API of Weir. */
  addressOverview({ coin, address }: AddressOf, signal?: AbortSignal): Promise<OverviewAnswer> {
    const request = get('/v1/address_overview', { coin, address });
    return this.#ask('address_overview', request, (reply) => overviewAnswerOf(reply, this.#http), signal);
  }

  /** Profile of an address, and where its money went or came from. Give it 30 seconds: it reads as much as a score. Standard API of Weir. */
  addressTrace(asked: TraceOf, signal?: AbortSignal): Promise<TraceAnswer> {
    const request = get('/v1/address_trace', traceFieldsOf(asked));
    return this.#ask('address_trace', request, (reply) => traceAnswerOf(reply, this.#http), signal);
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
   * Scores of this key that may have changed since `after`, the `next_cursor` of an earlier answer.
   * Without `after`: no items, and the current end. `limit`: 1 to 1,000, default 500. Free. Standard API of Weir.
   */
  scoreChanges({ after, limit }: { after?: string; limit?: number }, signal?: AbortSignal): Promise<ScoreChangesAnswer> {
    const request = get('/v1/score_changes', {
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit: String(limit) }),
    });
    return this.#ask('score_changes', request, (reply) => scoreChangesAnswerOf(reply, this.#http), signal);
  }

  /** The newest price of a coin up to a UTC day, such as `2026-01-31`; default today. Free. Standard API of Weir. */
  price({ coin, day }: { coin: string; day?: string }, signal?: AbortSignal): Promise<PriceAnswer> {
    const request = get('/v1/prices', { coin, ...(day !== undefined && { day }) });
    return this.#ask('prices', request, (reply) => priceAnswerOf(reply, this.#http, coin), signal);
  }

  /** The coins and chains that the API knows. Sends no key. Free. Standard API of Weir. */
  status(signal?: AbortSignal): Promise<StatusAnswer> {
    const request: Request = { ...get('/v1/status', {}), open: true };
    return this.#ask('status', request, (reply) => statusAnswerOf(reply, this.#http), signal);
  }

  /** The API's readiness and warnings. Sends no key. Free. Weir only. */
  readiness(signal?: AbortSignal): Promise<ReadinessAnswer> {
    const request: Request = { ...get('/readyz', {}), open: true };
    return this.#ask('readiness', request, (reply) => readinessAnswerOf(reply, this.#http), signal);
  }

  /** The targets of the sandbox. Sends no key. */
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
  | OverviewAnswer
  | NamedReport
  | ReportAnswer
  | TraceAnswer
  | TransfersAnswer
  | ScoreChangesAnswer
  | PriceAnswer
  | StatusAnswer
  | ReadinessAnswer
  | TargetsAnswer;

function get(path: string, fields: Request['fields']): Request {
  return { method: 'GET', path, fields };
}

function fieldsOf(target: Target): Record<string, string> {
  const { direction } = target;
  return { ...undirected(target), ...(direction !== undefined && { direction }) };
}

function undirected({ coin, address, txid }: Target): Record<string, string> {
  return { coin, ...(address !== undefined && { address }), ...(txid !== undefined && { txid }) };
}

/** For metrics: the kind, with the cause where a kind has several. */
function outcomeOf(answer: Answer): string {
  if (answer.kind === 'unavailable') return `unavailable_${answer.reason.toLowerCase()}`;
  return answer.kind === 'limited' ? `limited_${answer.window}` : answer.kind;
}
