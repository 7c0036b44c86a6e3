import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Clock, systemClock } from './clock.ts';
import { WeirError } from './errors.ts';
import { type DecisionEvent, parseEvent } from './events.ts';

/**
 * Why a request is refused. Answer all of them with 400.
 *
 * | Code | |
 * |---|---|
 * | `NO_SIGNATURE` | a header of Standard Webhooks is missing or malformed |
 * | `WRONG_TIME` | older or newer than the tolerance: replayed, or a clock is wrong |
 * | `BAD_SIGNATURE` | changed, or signed with no secret of yours |
 * | `UNREADABLE` | rightly signed, and not a decision: of a later version |
 */
export type WebhookCode = 'NO_SIGNATURE' | 'WRONG_TIME' | 'BAD_SIGNATURE' | 'UNREADABLE';

/** `id` is the same at each attempt: drop repeats by it. */
export type WebhookVerification =
  | { readonly ok: true; readonly id: string; readonly event: DecisionEvent }
  | { readonly ok: false; readonly code: WebhookCode };

export interface WebhookVerifierOptions {
  /** Each `whsec_…`. Several while the secret is being changed. */
  readonly secrets: readonly string[];
  /** Default 300,000. */
  readonly toleranceMs?: number;
  readonly clock?: Clock;
}

export interface WebhookRequest {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as received, before any parser. */
  readonly body: Uint8Array | string;
}

/** Verifies webhooks by Standard Webhooks. */
export class WebhookVerifier {
  readonly #signers: readonly Webhook[];
  readonly #toleranceMs: number;
  readonly #clock: Clock;

  /** Throws for a secret that is none, and without one. */
  constructor({ secrets, toleranceMs = 300_000, clock = systemClock }: WebhookVerifierOptions) {
    if (secrets.length === 0) throw new TypeError('there is no secret to verify webhooks with');
    this.#signers = secrets.map((secret) => new Webhook(secret));
    this.#toleranceMs = toleranceMs;
    this.#clock = clock;
  }

  /** Never throws. Only `ok: true` comes from Weir. */
  verify({ headers, body }: WebhookRequest): WebhookVerification {
    const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
    if (!id || !signatures || time === undefined || !/^\d{1,12}$/.test(time)) return { ok: false, code: 'NO_SIGNATURE' };
    const signedAt = new Date(Number(time) * 1_000);
    if (Math.abs(this.#clock.now() - signedAt.getTime()) > this.#toleranceMs) return { ok: false, code: 'WRONG_TIME' };
    const bytes = Buffer.from(body);
    const wanted = this.#signers.map((signer) => Buffer.from(signer.sign(id, signedAt, bytes)));
    const given = signatures.split(' ').map((one) => Buffer.from(one));
    const isSigned = given.some((one) => wanted.some((own) => own.length === one.length && timingSafeEqual(own, one)));
    if (!isSigned) return { ok: false, code: 'BAD_SIGNATURE' };
    try {
      return { ok: true, id, event: parseEvent(bytes.toString()) };
    } catch (error) {
      if (error instanceof WeirError) return { ok: false, code: 'UNREADABLE' };
      throw error;
    }
  }
}

function headerOf(headers: WebhookRequest['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
