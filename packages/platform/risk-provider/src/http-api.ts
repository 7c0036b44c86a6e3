import { createHash } from 'node:crypto';
import type { Clock, Fetch, QueryAnswer, Refusal, Unavailable } from '@weir/risk-client';
import { baseOf, call, type HttpOptions, readJson, refusalOf, type Request, unavailable } from '@weir/risk-client/raw';
import type { Assessed, Explanation } from './port.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clock: Clock;
  /** For one call. Default 10,000. */
  readonly timeoutMs?: number;
  readonly fetch?: Fetch;
  /** Called after each call. Both have closed lists of values. */
  readonly onCall?: (call: { operation: string; outcome: string; durationMs: number }) => void;
}

export interface Read {
  /** The body. Fields that stand there twice were rejected. */
  readonly text: string;
  readonly value: unknown;
}

const largestBody = 1_000_000;

/** Calls of one JSON API. Sends keys in headers only. */
export class HttpApi {
  readonly #http: HttpOptions;
  readonly #secrets: readonly string[];
  readonly #onCall: ApiOptions['onCall'];
  readonly name: string;

  /** Throws `TypeError` for an address that is not plain HTTP(S), or a key that no header can carry. `secrets`: beside the API key. */
  constructor({ baseUrl, apiKey, clock, timeoutMs = 10_000, onCall, ...options }: ApiOptions, secrets: readonly string[] = []) {
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('the API key is empty or has characters that no header can carry');
    const base = baseOf(baseUrl);
    this.#http = { base, apiKey, keyIn: 'header', clock, timeoutMs, maxBytes: largestBody, fetch: options.fetch ?? fetch };
    this.#secrets = [apiKey, ...secrets];
    this.#onCall = onCall;
    this.name = base.host;
  }

  /** The path of a request as the server sees it. */
  pathOf(path: string): string {
    return `${this.#http.base.pathname.replace(/\/+$/, '')}${path}`;
  }

  /** A success as JSON, a 404 as it is, or a refusal: 400 is `invalid`, 401 and 403 reject the key. */
  async json(request: Omit<Request, 'fields' | 'open'>, signal?: AbortSignal): Promise<Read | { kind: 'absent'; read?: Read } | Refusal> {
    const reply = await call(this.#http, { ...request, fields: {}, open: true }, signal);
    if ('kind' in reply) return reply;
    const { status } = reply;
    const read = readJson(reply.body);
    if (status >= 200 && status < 300) return 'problem' in read ? unavailable('UNREADABLE', read.problem) : read;
    if (status === 404) return { kind: 'absent', ...('value' in read && { read }) };
    if (status === 400 || status === 422) return { kind: 'invalid', code: `HTTP_${status}` };
    if (status === 401 || status === 403) return { kind: 'rejected', status, code: 'InvalidApiKey' };
    return refusalOf(reply, undefined, this.#http);
  }

  /** Reports a call under `operation`. */
  async observed<A extends { readonly kind: string }>(operation: string, answering: Promise<A>): Promise<A> {
    const startedAt = this.#http.clock.monotonic();
    const answer = await answering;
    this.#onCall?.({ operation, outcome: answer.kind, durationMs: this.#http.clock.monotonic() - startedAt });
    return answer;
  }

  /** The answer that this evidence gives. */
  assessed(evidence: string, explain: (evidence: string) => Explanation | Unavailable): Assessed | Unavailable {
    if (this.#secrets.some((secret) => evidence.includes(secret))) return unavailable('UNREADABLE', 'the answer repeats a key');
    const explained = explain(evidence);
    if ('kind' in explained) return explained;
    const { result } = explained;
    const evidence_sha256 = createHash('sha256').update(evidence).digest('hex');
    return { kind: result.coverage === 'none' ? 'no_data' : 'scored', result, evidence, evidence_sha256 };
  }
}

/** A provider without a list of changed results. */
export const noChanges = async (): Promise<Extract<QueryAnswer, { kind: 'not_found' }>> => ({ kind: 'not_found' });
