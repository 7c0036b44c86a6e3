import { backoff, type Clock, within } from '@weir/clock';
import type { ScreeningRequested, ScreeningScored } from '@weir/contracts';
import type { PriceAnswer, RiskClient } from '@weir/risk-client';
import { type Batch, TryAgain } from '@weir/service-kit';
import { LRUCache } from 'lru-cache';

type Price = Pick<ScreeningScored, 'known_usd_price' | 'price_day'>;
/** `isUnanswered`: the risk API may know a price, but has not answered. */
export type PriceFound = Price & { readonly isUnanswered: boolean };
type Priced = Pick<ScreeningRequested, 'coin' | 'fault' | 'requested_at'>;

/** The prices of some requests, in order. Throws `TryAgain` if one must be fetched first. */
export type FindPrices = (requests: readonly Priced[]) => PriceFound[];

interface Entry {
  /** Undefined before the first answer. */
  price: Price | undefined;
  failures: number;
  /** Fetched again from then on; monotonic. */
  dueAt: number;
  asking: Promise<void> | undefined;
}

const none: Price = { known_usd_price: null, price_day: null };
const keepMs = 600_000;
const retries = { firstMs: 1_000, longestMs: 10_000 };
const patienceMs = 1_000;
const mostEntries = 1_000;
const dayLength = '2026-01-31'.length;

/**
 * Prices of the risk API by coin and day of receipt, cached for ten minutes, after a failure for seconds. A failure keeps the last answer.
 * Without any answer the price is unanswered, which differs from unknown.
 */
export class Prices {
  readonly #client: Pick<RiskClient, 'price'>;
  readonly #clock: Clock;
  readonly #entries = new LRUCache<string, Entry>({ max: mostEntries });
  readonly #found = new WeakMap<Batch, Map<string, PriceFound>>();
  readonly #stop = new AbortController();
  /** The API has answered about some price. */
  #isOffered = false;

  constructor(client: Pick<RiskClient, 'price'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Finds the prices that a transaction needs. For a missing or expired one it throws `TryAgain`, which fetches it: no lock is held
   * meanwhile. What was fetched holds for all attempts at the batch.
   */
  finderFor(batch: Batch): FindPrices {
    const found = this.#found.get(batch) ?? new Map<string, PriceFound>();
    this.#found.set(batch, found);
    return (requests) => this.#find(requests, found);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#entries.values()].flatMap(({ asking }) => asking ?? []));
  }

  #find(requests: readonly Priced[], found: Map<string, PriceFound>): PriceFound[] {
    const now = this.#clock.monotonic();
    const missing = new Set<string>();
    const prices = requests.map((request) => {
      if (request.fault !== null) return { ...none, isUnanswered: false };
      const key = keyOf(request);
      const entry = this.#entries.get(key);
      const before = found.get(key);
      if (before === undefined && (entry === undefined || entry.dueAt <= now)) missing.add(key);
      return before ?? toFound(entry);
    });
    if (missing.size === 0) return prices;
    throw new TryAgain(async () => {
      await this.#lookUp([...missing]);
      for (const key of missing) found.set(key, toFound(this.#entries.get(key)));
    });
  }

  async #lookUp(keys: readonly string[]): Promise<void> {
    const asking = keys.flatMap((key) => this.#ask(key) ?? []);
    if (asking.length === 0) return;
    await within(this.#clock, patienceMs, Promise.all(asking), { late: () => undefined, signal: this.#stop.signal });
    // Later requests do not wait for a call that is so slow.
    const dueAt = this.#clock.monotonic() + retries.longestMs;
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry?.asking !== undefined) entry.dueAt = Math.max(entry.dueAt, dueAt);
    }
  }

  #ask(key: string): Promise<void> | undefined {
    const entry = this.#entries.get(key) ?? { price: undefined, failures: 0, dueAt: 0, asking: undefined };
    if (entry.asking !== undefined || entry.dueAt > this.#clock.monotonic()) return entry.asking;
    this.#entries.set(key, entry);
    entry.asking = this.#answer(key, entry).finally(() => {
      entry.asking = undefined;
    });
    return entry.asking;
  }

  async #answer(key: string, entry: Entry): Promise<void> {
    const [day = '', coin = ''] = key.split(' ');
    const answer = await this.#client.price({ coin, day }, this.#stop.signal);
    const price = this.#priceOf(answer);
    entry.failures = price === undefined ? entry.failures + 1 : 0;
    entry.price = price ?? entry.price;
    const waitMs = price === undefined ? backoff(entry.failures, retries) : keepMs;
    entry.dueAt = this.#clock.monotonic() + Math.max(waitMs, answer.kind === 'limited' ? Math.min(answer.retryAfterMs, keepMs) : 0);
  }

  /** Undefined: the API has not answered. */
  #priceOf(answer: PriceAnswer): Price | undefined {
    switch (answer.kind) {
      case 'price':
        this.#isOffered = true;
        return { known_usd_price: answer.usd, price_day: answer.day };
      case 'no_price':
        this.#isOffered = true;
        return none;
      case 'not_found':
        // An API without the operation knows no price.
        return this.#isOffered ? undefined : none;
      // It refuses the coin or the day.
      case 'unsupported':
      case 'invalid':
        return none;
      case 'rejected':
      case 'limited':
      case 'unavailable':
        return undefined;
    }
  }
}

function toFound(entry: Entry | undefined): PriceFound {
  return { ...(entry?.price ?? none), isUnanswered: entry?.price === undefined };
}

function keyOf({ coin, requested_at }: Priced): string {
  return `${new Date(requested_at).toISOString().slice(0, dayLength)} ${coin}`;
}
