import { createAnswerOf, queryAnswerOf } from './answer.ts';
import { call, type HttpOptions, type Reply, type Request } from './http.ts';
import type { CreateAnswer, Operation, QueryAnswer, RiskClientOptions, Target, Unavailable } from './types.ts';

/**
 * Client of the risk API, v3: the tasks of the standard API, and the same with the immediate score of the sandbox.
 *
 * No method rejects. What the API says, and what it fails to say, is the `kind` of the answer; what can't be understood is `unavailable` with the
 * reason `UNREADABLE`, never a level. Nothing is repeated, and redirects are not followed: the key goes to the given address only.
 */
export class RiskClient {
  readonly #http: HttpOptions;
  readonly #onCall: RiskClientOptions['onCall'];

  /** Throws `TypeError` for an address that is not plain HTTP(S), and for a key that no header can carry; neither is in the message. */
  constructor(options: RiskClientOptions) {
    const { apiKey, keyIn, clock, timeoutMs = 10_000, maxBytes = 1_000_000 } = options;
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('the API key is empty or has characters that no header can carry');
    this.#http = { base: baseOf(options.baseUrl), apiKey, keyIn, clock, timeoutMs, maxBytes, fetch: options.fetch ?? fetch };
    this.#onCall = options.onCall;
  }

  /** Starts computing a score, or joins what is running. Costs budget. */
  createTask(target: Target, signal?: AbortSignal): Promise<CreateAnswer> {
    const request: Request = { method: 'POST', path: '/v3/risk_score_create_task', fields: fieldsOf(target) };
    return this.#ask('create_task', request, (reply) => createAnswerOf(reply, this.#http), signal);
  }

  /** The result of a task, once there is one. Costs budget in the sandbox only. */
  queryTask(taskId: string, signal?: AbortSignal): Promise<QueryAnswer> {
    const request: Request = { method: 'GET', path: '/v3/risk_score_query_task', fields: { task_id: taskId } };
    return this.#ask('query_task', request, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  /** The score at once. Only the sandbox has this. */
  riskScore(target: Target, signal?: AbortSignal): Promise<QueryAnswer> {
    const { direction: _, ...fields } = fieldsOf(target);
    return this.#ask('risk_score', { method: 'GET', path: '/v3/risk_score', fields }, (reply) => queryAnswerOf(reply, this.#http), signal);
  }

  async #ask<A extends CreateAnswer | QueryAnswer>(
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

function fieldsOf(target: Target): Record<string, string> {
  const { coin, address, txid, direction } = target;
  return {
    coin,
    ...(address !== undefined && { address }),
    ...(txid !== undefined && { txid }),
    ...(direction !== undefined && { direction }),
  };
}

/** For metrics: the kind, and for what has several causes, which. */
function outcomeOf(answer: CreateAnswer | QueryAnswer): string {
  if (answer.kind === 'unavailable') return `unavailable_${answer.reason.toLowerCase()}`;
  return answer.kind === 'limited' ? `limited_${answer.window}` : answer.kind;
}

function baseOf(baseUrl: string): URL {
  const base = URL.parse(baseUrl);
  const isPlain = base !== null && /^https?:$/.test(base.protocol) && !base.username && !base.password && !base.search && !base.hash;
  if (!isPlain) throw new TypeError('the base URL must be http or https, without user, query or fragment');
  return base;
}
