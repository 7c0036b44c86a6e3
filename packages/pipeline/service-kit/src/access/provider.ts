import type { Clock } from '@weir/clock';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { ProviderUnavailable, readProviderKeys } from './provider-keys.ts';

/** Older keys are reread in the background, while they still serve. */
const rereadAfterMs = 300_000;
/** The longest use of a key that the provider revoked. */
const keysGoodMs = 600_000;
/** The least time between rereads for unknown keys, because anybody can send a token with one. */
const cooldownMs = 5_000;
/** After a failure nobody waits for the provider for so long. */
export const retryAfterMs = 5_000;

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly readAt: number;
}

/** An OIDC provider's keys: read at first use, cached, and reread when old or when one is missing. */
export class Provider {
  readonly #issuer: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #onFailure: (error: ProviderUnavailable) => void;
  #keys: Keys | undefined;
  #failed: { readonly error: ProviderUnavailable; readonly at: number } | undefined;
  #reading: Promise<Keys> | undefined;

  constructor(options: { issuer: string; timeoutMs: number; clock: Clock; onFailure: (error: ProviderUnavailable) => void }) {
    this.#issuer = options.issuer;
    this.#timeoutMs = options.timeoutMs;
    this.#clock = options.clock;
    this.#onFailure = options.onFailure;
  }

  get failure(): string | undefined {
    return this.#failed?.error.message;
  }

  /** The key for a token, as jose's callback. Rejects with `ProviderUnavailable`, or with jose's errors for a missing key. */
  readonly key: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#ageOf(keys) < cooldownMs) throw error;
      return (await this.#read()).find(header, token);
    }
  };

  async #current(): Promise<Keys> {
    const keys = this.#keys;
    if (keys === undefined || this.#ageOf(keys) >= keysGoodMs) return this.#read();
    if (this.#ageOf(keys) >= rereadAfterMs) this.#read().catch(() => undefined);
    return keys;
  }

  #ageOf({ readAt }: Keys): number {
    return this.#clock.monotonic() - readAt;
  }

  #read(): Promise<Keys> {
    if (this.#failed !== undefined && this.#clock.monotonic() - this.#failed.at < retryAfterMs) return Promise.reject(this.#failed.error);
    this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readNow(): Promise<Keys> {
    const readAt = this.#clock.monotonic();
    try {
      this.#keys = { find: createLocalJWKSet(await readProviderKeys(this.#issuer, this.#timeoutMs)), readAt };
      this.#failed = undefined;
      return this.#keys;
    } catch (cause) {
      const error =
        cause instanceof ProviderUnavailable ? cause : new ProviderUnavailable('the keys of the provider cannot be used', { cause });
      this.#failed = { error, at: this.#clock.monotonic() };
      this.#onFailure(error);
      throw error;
    }
  }
}
