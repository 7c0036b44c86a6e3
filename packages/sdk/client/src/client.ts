import { randomInt, randomUUID } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import { WeirError } from './errors.ts';
import { type DecisionEvent, type StreamEvent, type StreamOptions, streamEvents } from './events.ts';
import { routes } from './generated/api.ts';
import { baseOf, exchange, type HttpOptions, type HttpRequest } from './http.ts';
import type { AnswerOf, AnyInput, InputOf, OperationName, QueryOf } from './operations.ts';
import { isIdempotent } from './repeats.ts';
import { defaultRetry, retrying, type RetryPolicy } from './retry.ts';

export interface WeirClientOptions {
  /** Of the pipeline, or in production of the service that the calls are for. */
  readonly baseUrl: string;
  /** Bearer token, or a function that returns a current one. Empty: only the open operations work. */
  readonly token: string | (() => string | Promise<string>);
  /** For an attempt, its body included; a wait for a decision is added. Default 10,000. */
  readonly timeoutMs?: number;
  /** Of one answer. Default 20,000,000, for case files. */
  readonly maxBytes?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** From 0 to below 1; spreads retries. */
  readonly random?: () => number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export type Withdrawal = AnswerOf<'get_withdrawal'>;
type WithdrawalBody = InputOf<'post_withdrawal'>['body'];
type RedemptionBody = InputOf<'redeem_permit'>['body'];

export interface Redemption {
  readonly permit_id: string;
  readonly redeemed_at: string;
  readonly redemption_id: string;
  /** True when an earlier attempt with this `redemption_id` has redeemed it: whoever signs asks itself whether it has signed. */
  readonly isRepeat: boolean;
}

/** Items of the lists that are read page by page. */
interface Lists {
  readonly list_screenings: AnswerOf<'list_screenings'>['items'][number];
  readonly list_reviews: AnswerOf<'list_reviews'>['items'][number];
  readonly list_deliveries: AnswerOf<'list_deliveries'>['items'][number];
}

/** One wait at the gate. Longer waits are several, because proxies end requests that are silent for long. */
const longestWaitS = 20;
/** Between waits that the gate has ended early. */
const pauseMs = 500;

/** Client of the pipeline's HTTP API. Every call rejects with `WeirError`, ends in time and is repeated only where that is safe. */
export class WeirClient {
  /** For `remoteKeys` of `@weir/permit`. */
  readonly permitKeysUrl: string;
  readonly #http: HttpOptions;
  readonly #timeoutMs: number;
  readonly #retry: RetryPolicy;
  readonly #random: () => number;

  /** Throws `TypeError` for an address that is not plain HTTP(S). */
  constructor(options: WeirClientOptions) {
    const { token, clock = systemClock, maxBytes = 20_000_000, timeoutMs = 10_000 } = options;
    const base = baseOf(options.baseUrl);
    this.#http = { base, token: typeof token === 'string' ? () => token : token, clock, maxBytes, fetch: options.fetch ?? fetch };
    this.#timeoutMs = timeoutMs;
    this.#retry = { ...defaultRetry, ...options.retry };
    this.#random = options.random ?? (() => randomInt(2 ** 32) / 2 ** 32);
    this.permitKeysUrl = `${base.href.replace(/\/+$/, '')}${routes.get_permit_keys[1]}`;
  }

  /** Calls any operation of the description by its `operationId`. */
  async call<Name extends OperationName>(name: Name, input: InputOf<Name>, options: CallOptions = {}): Promise<AnswerOf<Name>> {
    const { signal, timeoutMs = this.#timeoutMs } = options;
    const given = input as AnyInput;
    const request = requestOf(name, given);
    const repeats = { policy: this.#retry, random: this.#random, clock: this.#http.clock, signal };
    const answer = await retrying({ ...repeats, isIdempotent: isIdempotent(name, given) }, () =>
      exchange(this.#http, request, timeoutMs, signal),
    );
    return answer as AnswerOf<Name>;
  }

  /** Every item of a list, newest first. Reads a page when the items before it are taken. */
  async *all<Name extends keyof Lists>(name: Name, query: QueryOf<Name>, options?: CallOptions): AsyncGenerator<Lists[Name]> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const asked = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } } as unknown as InputOf<Name>;
      const page = (await this.call(name, asked, options)) as { items: readonly Lists[Name][]; next_cursor: string | null };
      yield* page.items;
      cursor = page.next_cursor;
    }
  }

  /** Requests the screening of a deposit. The same `deposit_id` with the same content may be posted again. */
  postDeposit(deposit: InputOf<'post_deposit'>['body'], options?: CallOptions): Promise<AnswerOf<'post_deposit'>> {
    return this.call('post_deposit', { body: deposit }, options);
  }

  /**
   * Requests the screening of a withdrawal and waits for its decision, `waitMs` at most (10,000). `pending` when there is none by then: call
   * again, with the same content.
   */
  async requestWithdrawal(
    withdrawal: WithdrawalBody,
    { waitMs = 10_000, signal }: { waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<Withdrawal> {
    const { clock } = this.#http;
    const end = clock.monotonic() + waitMs;
    for (;;) {
      const seconds = Math.min(Math.max(Math.ceil((end - clock.monotonic()) / 1_000), 0), longestWaitS);
      const input = { body: withdrawal, headers: { Prefer: `wait=${seconds}` } };
      const answer = await this.call('post_withdrawal', input, { signal, timeoutMs: this.#timeoutMs + seconds * 1_000 });
      const found = ofWithdrawal(answer, withdrawal.withdrawal_id);
      const leftMs = end - clock.monotonic();
      if (found.status !== 'pending' || leftMs <= 0) return found;
      await clock.sleep(Math.min(pauseMs, leftMs), signal);
    }
  }

  async getWithdrawal(withdrawalId: string, options?: CallOptions): Promise<Withdrawal> {
    return ofWithdrawal(await this.call('get_withdrawal', { path: { withdrawal_id: withdrawalId } }, options), withdrawalId);
  }

  /**
   * Redeems a permit just before the withdrawal leaves. Resolves once per withdrawal, and again for the same `redemption_id`, which is made up
   * unless given. Keep one of your own where a crash must not lose it.
   */
  async redeemPermit(terms: RedemptionBody, options?: CallOptions): Promise<Redemption> {
    const redemption_id = terms.redemption_id ?? randomUUID();
    try {
      const answer = await this.call('redeem_permit', { body: { ...terms, redemption_id } }, options);
      return redemptionOf(answer, redemption_id, false);
    } catch (error) {
      const isOwn = error instanceof WeirError && error.code === 'REDEEMED_BEFORE' && error.problem?.['redemption_id'] === redemption_id;
      if (!isOwn) throw error;
      return redemptionOf(error.problem, redemption_id, true);
    }
  }

  /**
   * Decisions as they are made, behind `lastEventId` or from now on; with `type`, such as `screening,review,case,health`, also the acts of
   * people and the health. Reconnects by itself; ends with `signal`.
   */
  events(options?: StreamOptions & { readonly type?: undefined }): AsyncGenerator<StreamEvent<DecisionEvent>>;
  events(options: StreamOptions): AsyncGenerator<StreamEvent>;
  events(options: StreamOptions = {}): AsyncGenerator<StreamEvent> {
    const shared = { http: this.#http, policy: this.#retry, random: this.#random, timeoutMs: this.#timeoutMs };
    return streamEvents(shared, options);
  }
}

function requestOf(name: OperationName, { path = {}, query, headers = {}, body }: AnyInput): HttpRequest {
  const [method, template] = routes[name];
  // Tiles have slashes within a segment.
  const encode = (value: unknown): string => String(value).split('/').map(encodeURIComponent).join('/');
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, own: string) => encode(path[own]));
  const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
  return { method, path: filled, query, headers: Object.fromEntries(given.map(([own, value]) => [own, String(value)])), body };
}

const statuses: readonly unknown[] = ['pending', 'allowed', 'held', 'blocked'];

/** A proxy's answer, or that of another withdrawal, is never one. */
function ofWithdrawal(answer: Withdrawal, withdrawalId: string): Withdrawal {
  if (answer?.withdrawal_id === withdrawalId && statuses.includes(answer.status)) return answer;
  throw new WeirError('UNREADABLE', 'the answer is not that of the withdrawal');
}

function redemptionOf(answer: unknown, redemption_id: string, isRepeat: boolean): Redemption {
  const { permit_id, redeemed_at, redemption_id: own } = (answer ?? {}) as Partial<Redemption>;
  if (typeof permit_id !== 'string' || typeof redeemed_at !== 'string' || own !== redemption_id) {
    throw new WeirError('UNREADABLE', 'the answer is not that of the redemption');
  }
  return { permit_id, redeemed_at, redemption_id, isRepeat };
}
