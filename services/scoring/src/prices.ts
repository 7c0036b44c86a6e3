import { type Clock, within } from '@weir/clock';
import type { ScreeningRequested, ScreeningScored } from '@weir/contracts';
import type { RiskClient } from '@weir/risk-client';

type KnownPrice = Pick<ScreeningScored, 'known_usd_price' | 'price_day'>;
/** The part of a request that a price is looked up by. */
type Asked = Pick<ScreeningRequested, 'coin' | 'fault' | 'requested_at'> & {
  readonly transfer: Pick<ScreeningRequested['transfer'], 'usd_value'>;
};

interface Entry {
  /** On the clock that never goes back. */
  readonly askedAt: number;
  price: KnownPrice;
  readonly asking: Promise<void>;
}

const unknown: KnownPrice = { known_usd_price: null, price_day: null };
const keepMs = 600_000;
/** A screening waits no longer for a price that was never asked for. */
const patienceMs = 500;
const mostEntries = 1_000;
const dayLength = '2026-01-31'.length;

/**
 * Prices as the risk API knows them, by coin and day of receipt; each is asked for once in ten minutes at most. An API that has none, or that fails,
 * leaves a price as it was: unknown at first. No screening fails for it.
 */
export class Prices {
  readonly #client: Pick<RiskClient, 'price'>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();

  constructor(client: Pick<RiskClient, 'price'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Asks for those that are missing or old, and waits a little for those that are missing. */
  async prepare(requests: readonly Asked[]): Promise<void> {
    const missing = requests.flatMap((request) => {
      const key = keyOf(request);
      if (key === undefined) return [];
      const isNew = !this.#entries.has(key);
      const { asking } = this.#entry(key);
      return isNew ? [asking] : [];
    });
    if (missing.length === 0) return;
    await within(this.#clock, patienceMs, Promise.all(missing), { late: () => undefined, signal: this.#stop.signal });
  }

  /** What is known now; what is missing or old is asked for in the background. */
  of(request: Asked): KnownPrice {
    const key = keyOf(request);
    return key === undefined ? unknown : this.#entry(key).price;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#entries.values()].map(({ asking }) => asking));
  }

  #entry(key: string): Entry {
    const before = this.#entries.get(key);
    const now = this.#clock.monotonic();
    if (before !== undefined && now - before.askedAt < keepMs) return before;
    // In the order of asking, so that the oldest goes.
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= mostEntries && oldest !== undefined) this.#entries.delete(oldest);
    const entry: Entry = { askedAt: now, price: before?.price ?? unknown, asking: this.#ask(key) };
    this.#entries.set(key, entry);
    return entry;
  }

  async #ask(key: string): Promise<void> {
    const [day = '', coin = ''] = key.split(' ');
    const answer = await this.#client.price({ coin, day }, this.#stop.signal);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (answer.kind === 'price') entry.price = { known_usd_price: answer.usd, price_day: answer.day };
    if (answer.kind === 'no_price') entry.price = unknown;
  }
}

/** Undefined where there is no declared value to compare with, or no coin that has a price. */
function keyOf({ coin, fault, requested_at, transfer }: Asked): string | undefined {
  if (fault !== null || transfer.usd_value === null) return undefined;
  return `${new Date(requested_at).toISOString().slice(0, dayLength)} ${coin}`;
}
